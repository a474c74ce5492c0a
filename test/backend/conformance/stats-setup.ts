import { randomUUID } from 'node:crypto';
import type {
  RunCounts,
  RunnerInfo,
  RunnerReport,
  RunsInSpan,
  RunsOfJob,
} from '../../../lib/backend/stats-store.js';
import type { Bundle, Setup } from './setup.js';

export const nothing: RunCounts = {
  ...{ succeeded: 0, failed: 0, dead: 0, cancelled: 0, lost: 0, runMs: 0, waitMs: 0 },
};

/** As `setup`, for a test about what runners tell. */
export function withStats(
  setup: Setup,
  test: (bundle: ReturnType<typeof statsBundleOf>) => Promise<void>,
): () => Promise<void> {
  return setup((bundle) => test(statsBundleOf(bundle)));
}

function statsBundleOf(bundle: Bundle) {
  const { backend, queue, now } = bundle;
  const { stats } = backend;
  // Live runners are those of the whole store: other tests have theirs.
  const runnerName = `runner-${randomUUID()}`;

  const runner = (fields: Partial<RunnerInfo> = {}): RunnerInfo => ({
    name: runnerName,
    host: 'host-1',
    pid: 4_711,
    version: '1.2.3',
    queues: [{ name: queue, concurrency: 10 }],
    concurrency: 10,
    running: 0,
    tasks: [],
    ...fields,
  });
  const runs = (fields: Partial<RunsOfJob> = {}): RunsOfJob => ({ ...nothing, queue, job: 'Job', ...fields });
  const report = (fields: Partial<RunnerReport> = {}) =>
    stats.report({ runner: runner(), aliveMs: 60_000, runs: [], slots: [], ...fields });
  /** Reports, and gives a matcher of the beginning of the minute or hour in which that was. */
  const reportIn = async (spanMs: number, fields: Partial<RunsOfJob>) => {
    const before = await now();
    await report({ runs: [runs(fields)] });
    return new OneOf(before - (before % spanMs), spanMs, await now());
  };
  /** The test's own among the live runners. */
  const live = async (name = runnerName) => (await stats.runners()).find((one) => one.name === name);
  const jobs = async (queues: readonly string[] = [queue]) =>
    (await stats.jobs(queues)).toSorted((a, b) => (`${a.queue} ${a.job}` < `${b.queue} ${b.job}` ? -1 : 1));

  const putSchedule = async (id: string, inQueue = queue, rule = 'every minute') => {
    const nextSlot = (await now()) + 3_600_000;
    const schedule = { queue: inQueue, id, nextSlot, job: 'Job', rule, template: '{}', isDeclared: false };
    await backend.schedules.put(schedule, 'replace');
    return { queue: inQueue, id };
  };

  return { ...bundle, stats, runnerName, runner, runs, report, reportIn, live, jobs, putSchedule };
}

/** All spans together. */
export function total(spans: readonly RunsInSpan[]): RunCounts {
  const sum: Record<keyof RunCounts, number> = { ...nothing };
  for (const span of spans)
    for (const key of Object.keys(nothing) as (keyof RunCounts)[]) sum[key] += span[key];
  return sum;
}

/** Matches the beginning of a span that is not before the first and not after a moment: a clock may go on meanwhile. */
class OneOf {
  readonly $$typeof = Symbol.for('jest.asymmetricMatcher');

  constructor(
    private readonly first: number,
    private readonly spanMs: number,
    private readonly until: number,
  ) {}

  asymmetricMatch(actual: unknown): boolean {
    if (typeof actual !== 'number' || (actual - this.first) % this.spanMs !== 0) return false;
    return actual >= this.first && actual <= this.until;
  }

  toAsymmetricMatcher(): string {
    return `${this.first} … ${this.until} by ${this.spanMs}`;
  }

  toString(): string {
    return 'OneOf';
  }
}
