import type { Backend } from '../backend/backend.js';
import type { QueueGlance } from '../backend/catalog-store.js';
import type { LiveRunner } from '../backend/stats-store.js';
import type { TaskState } from '../task/task-record.js';
import { filledSpans, type SpanInfo } from './filled-spans.js';
import type { KnownQueues } from './known-queues.js';

/** A queue at a glance. */
export interface QueueInfo {
  readonly name: string;
  readonly counts: Record<TaskState, number>;
  /** Tasks that are due and wait for a runner. */
  readonly depth: number;
  /** How long the one that has been due longest has waited; undefined where none waits. */
  readonly oldestWaitingMs: number | undefined;
  readonly isPaused: boolean;
  /** How long the pause still lasts; undefined where there is none, or where it lasts until `resume`. */
  readonly pausedForMs: number | undefined;
  /** The last hour, minute by minute, oldest first, the present one included. */
  readonly minutes: readonly SpanInfo[];
  /** The last week, hour by hour. */
  readonly hours: readonly SpanInfo[];
  /** The names of the live runners that serve it. */
  readonly runners: readonly string[];
}

/** A process that runs tasks. */
export interface LiveRunnerInfo extends Omit<LiveRunner, 'startedAt' | 'seenAt'> {
  readonly startedAt: Date;
  /** Its latest sign of life. */
  readonly seenAt: Date;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const askedAtOnce = 25;

/** Reading queues and the runners that serve them. */
export class QueueCatalog {
  constructor(
    private readonly backend: Backend,
    private readonly queues: KnownQueues,
  ) {}

  async all(): Promise<QueueInfo[]> {
    return this.infos((await this.queues.names()).sort());
  }

  async one(name: string): Promise<QueueInfo> {
    return (await this.infos([name]))[0]!;
  }

  async counts(queue: string | undefined): Promise<Record<TaskState, number>> {
    if (queue !== undefined) return this.backend.catalog.counts(queue);
    const sum = { scheduled: 0, waiting: 0, pending: 0, succeeded: 0, dead: 0, cancelled: 0, parked: 0 };
    for (const { counts } of await this.backend.catalog.glance(await this.queues.names()))
      for (const state of Object.keys(sum) as TaskState[]) sum[state] += counts[state];
    return sum;
  }

  async runners(): Promise<LiveRunnerInfo[]> {
    const live = await this.backend.stats.runners();
    return live
      .map((runner) => ({
        ...runner,
        startedAt: new Date(runner.startedAt),
        seenAt: new Date(runner.seenAt),
      }))
      .sort((one, other) => one.startedAt.getTime() - other.startedAt.getTime());
  }

  private async infos(names: readonly string[]): Promise<QueueInfo[]> {
    if (names.length === 0) return [];
    const { catalog, stats } = this.backend;
    const [glances, runners] = await Promise.all([catalog.glance(names), stats.runners()]);
    const nowOf = this.times();
    const infos: QueueInfo[] = [];
    for (let from = 0; from < glances.length; from += askedAtOnce) {
      const some = glances.slice(from, from + askedAtOnce).map(async (glance) => {
        const { queue } = glance;
        const [{ minutes, hours }, now] = await Promise.all([stats.throughput(queue), nowOf(queue)]);
        return {
          ...stateOf(glance),
          minutes: filledSpans(minutes, now, minuteMs, 60),
          hours: filledSpans(hours, now, hourMs, 7 * 24),
          runners: runnersOf(queue, runners),
        };
      });
      infos.push(...(await Promise.all(some)));
    }
    return infos;
  }

  /** The time of the store for each queue; a part of it is asked once. */
  private times(): (queue: string) => Promise<number> {
    const { tasks, schedules } = this.backend;
    const known = new Map<number, Promise<number>>();
    return (queue) => {
      const part = tasks.partOf?.(queue) ?? 0;
      const now = known.get(part) ?? schedules.now(queue);
      known.set(part, now);
      return now;
    };
  }
}

function stateOf({ queue, counts, depth, oldestWaitingMs, pausedForMs }: QueueGlance) {
  return {
    name: queue,
    counts,
    depth,
    oldestWaitingMs,
    isPaused: pausedForMs !== undefined,
    pausedForMs: pausedForMs === Infinity ? undefined : pausedForMs,
  };
}

function runnersOf(queue: string, runners: readonly LiveRunner[]): string[] {
  return runners.filter(({ queues }) => queues.some(({ name }) => name === queue)).map(({ name }) => name);
}
