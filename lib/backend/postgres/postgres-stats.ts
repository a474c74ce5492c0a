import type { TaskRef } from '../../task/task-record.js';
import type {
  JobFigures,
  LiveRunner,
  RunCounts,
  RunnerInfo,
  RunnerReport,
  RunsInSpan,
  SlotOutcome,
  StatsStore,
  Throughput,
} from '../stats-store.js';
import type { PostgresFunctions } from './postgres-functions.js';
import { keepArgument } from './postgres-records.js';
import { fromText, toText } from './postgres-text.js';

const minuteMs = 60_000;

type CountsRow = [
  ...[succeeded: number, failed: number, dead: number, cancelled: number, lost: number],
  ...[runMs: number, waitMs: number],
];
type JobRow = [
  ...[queue: string, job: string, ...counts: CountsRow],
  ...[lastRunAt: number | null, lastFailureAt: number | null, lastError: string | null],
];
type SpanRow = [spanMs: number, at: number, ...counts: CountsRow];
type SlotRow = [slot: number, task: string, outcome: SlotOutcome['outcome'], at: number];

export class PostgresStats implements StatsStore {
  constructor(
    /** For what runners tell: handlers that hold every connection of the application must not make them seem dead. */
    private readonly hot: PostgresFunctions,
    private readonly side: PostgresFunctions,
  ) {}

  async report({ runner, aliveMs, runs, slots }: RunnerReport): Promise<void> {
    await this.hot.call('report_v1', {
      name: runner.name,
      info: toText(runner),
      aliveMs: keepArgument(aliveMs),
      runs: runs.map(({ runMs, waitMs, lastError, ...counts }) => ({
        ...counts,
        run_ms: Math.round(runMs),
        wait_ms: Math.round(waitMs),
        last_error: lastError,
      })),
      slots: slots.map(({ queue, id, slot, task, outcome }) => [queue, id, slot, task, outcome]),
    });
  }

  async leave(runner: string): Promise<void> {
    await this.hot.call('leave_v1', { name: runner });
  }

  async runners(): Promise<LiveRunner[]> {
    const rows = await this.side.call('runners_v1', {});
    return (rows as [string, number, number][]).map(([info, startedAt, seenAt]) => ({
      ...readRunnerInfo(info),
      startedAt,
      seenAt,
    }));
  }

  async jobs(queues: readonly string[]): Promise<JobFigures[]> {
    return ((await this.side.call('jobs_v1', queues)) as JobRow[]).map(readFigures);
  }

  async throughput(queue: string): Promise<Throughput> {
    const rows = (await this.side.call('throughput_v1', { queue })) as SpanRow[];
    const spans = (isMinute: boolean): RunsInSpan[] =>
      rows
        .filter(([spanMs]) => (spanMs === minuteMs) === isMinute)
        .map(([, at, ...counts]) => ({ at, ...readCounts(counts) }));
    return { minutes: spans(true), hours: spans(false) };
  }

  async slots({ queue, id }: TaskRef): Promise<SlotOutcome[]> {
    const rows = (await this.side.call('slots_v1', { queue, id })) as SlotRow[];
    return rows.map(([slot, task, outcome, at]) => ({ slot, task, outcome, at }));
  }
}

function readFigures(row: JobRow): JobFigures {
  const [queue, job, ...counts] = row.slice(0, 9) as [string, string, ...CountsRow];
  const [lastRunAt, lastFailureAt, lastError] = row.slice(9) as [number | null, number | null, string | null];
  return {
    queue,
    job,
    ...readCounts(counts),
    ...(lastRunAt === null ? undefined : { lastRunAt }),
    ...(lastFailureAt === null ? undefined : { lastFailureAt }),
    ...(lastError === null ? undefined : { lastError }),
  };
}

function readCounts([succeeded, failed, dead, cancelled, lost, runMs, waitMs]: CountsRow): RunCounts {
  return { succeeded, failed, dead, cancelled, lost, runMs, waitMs };
}

/** JSON knows no Infinity, which a runner may have as its concurrency. */
function readRunnerInfo(text: string): RunnerInfo {
  const info = fromText(text) as RunnerInfo;
  return { ...unlimited(info), queues: info.queues.map(unlimited) };
}

function unlimited<T extends { readonly concurrency: number | null }>(stored: T): T {
  return stored.concurrency === null ? { ...stored, concurrency: Infinity } : stored;
}
