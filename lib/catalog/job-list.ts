import type { Backend } from '../backend/backend.js';
import type { JobFigures, RunCounts } from '../backend/stats-store.js';
import type { JobRegistry } from '../job/job-registry.js';
import type { TaskRef } from '../task/task-record.js';
import { meansOf, sumOfRuns } from './filled-spans.js';
import type { KnownQueues } from './known-queues.js';
import type { CatalogRedaction } from './redaction.js';
import type { ScheduleList } from './schedule-list.js';
import { dateOf } from './task-info.js';

/** A job that this process knows, or that has run. */
export interface JobInfo {
  readonly name: string;
  /** Its own queue, if it is provided here, and those in which it has run. */
  readonly queues: readonly string[];
  /** What its runs came to, as far as runners have told. */
  readonly runs: RunCounts;
  readonly meanRunMs: number | undefined;
  readonly meanWaitMs: number | undefined;
  readonly lastRunAt: Date | undefined;
  readonly lastFailureAt: Date | undefined;
  /** The latest failure, in a line. */
  readonly lastError: string | undefined;
  /** Whether a module of this process provides it. */
  readonly isProvided: boolean;
  /** Whether `enqueue` takes it by its name: a job on a method runs by its schedule alone. */
  readonly isEnqueuable: boolean;
  readonly schedules: SchedulesOfJob;
}

export interface SchedulesOfJob {
  readonly count: number;
  /** Some of them, at most 20. */
  readonly some: readonly TaskRef[];
  /** False: there are more schedules than were looked at. */
  readonly complete: boolean;
}

const mostNamed = 20;

/** The jobs of this process and those that have run, by name. */
export class JobList {
  constructor(
    private readonly backend: Backend,
    private readonly registry: JobRegistry,
    private readonly queues: KnownQueues,
    private readonly schedules: ScheduleList,
    private readonly redaction: CatalogRedaction,
  ) {}

  async all(): Promise<JobInfo[]> {
    const [figures, schedules] = await Promise.all([
      this.queues.names().then((names) => this.backend.stats.jobs(names)),
      this.schedules.ofJobs(),
    ]);
    const provided = this.registry.provided().map(({ definition }) => definition.name);
    const names = new Set([...provided, ...figures.map(({ job }) => job), ...schedules.refs.keys()]);
    return [...names].sort().map((name) => {
      const refs = schedules.refs.get(name) ?? [];
      return this.info(
        name,
        figures.filter(({ job }) => job === name),
        { count: refs.length, some: refs.slice(0, mostNamed), complete: schedules.complete },
      );
    });
  }

  private info(name: string, figures: readonly JobFigures[], schedules: SchedulesOfJob): JobInfo {
    const definition = this.registry.named(name)?.definition;
    const runs = sumOfRuns(figures);
    const failed = latest(figures, ({ lastFailureAt }) => lastFailureAt);
    const { meanRunMs, meanWaitMs } = meansOf(runs);
    const queues = new Set([...(definition ? [definition.queue] : []), ...figures.map(({ queue }) => queue)]);
    return {
      name,
      queues: [...queues],
      runs,
      meanRunMs,
      meanWaitMs,
      lastRunAt: dateOf(latest(figures, ({ lastRunAt }) => lastRunAt)?.lastRunAt),
      lastFailureAt: dateOf(failed?.lastFailureAt),
      lastError: failed?.lastError === undefined ? undefined : this.redaction.line(name, failed.lastError),
      isProvided: definition !== undefined,
      isEnqueuable: definition !== undefined && !definition.source.isMethod,
      schedules,
    };
  }
}

function latest<T>(all: readonly T[], at: (one: T) => number | undefined): T | undefined {
  const known = all.filter((one) => at(one) !== undefined);
  return known.toSorted((one, other) => at(other)! - at(one)!)[0];
}
