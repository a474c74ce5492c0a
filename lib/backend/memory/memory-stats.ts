import type { Clock } from '../../task/clock.js';
import type { TaskRef } from '../../task/task-record.js';
import type {
  JobFigures,
  LiveRunner,
  RunCounts,
  RunnerReport,
  RunsOfJob,
  SlotOutcome,
  StatsStore,
  Throughput,
} from '../stats-store.js';
import type { LostRun } from './memory-lost-run.js';
import type { MemorySchedules } from './memory-schedules.js';
import { addCounts, MemorySpans } from './memory-spans.js';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const keptSlots = 20;
const nothing: RunCounts = { succeeded: 0, failed: 0, dead: 0, cancelled: 0, lost: 0, runMs: 0, waitMs: 0 };

/** What was told of a queue. */
interface Told {
  readonly jobs: Map<string, JobFigures>;
  readonly minutes: MemorySpans;
  readonly hours: MemorySpans;
}

export class MemoryStats implements StatsStore {
  private readonly queues = new Map<string, Told>();
  private readonly live = new Map<string, LiveRunner & { readonly silentAt: number }>();

  constructor(
    private readonly schedules: MemorySchedules,
    /** Runs that were found lost and are not counted yet. */
    private readonly lost: LostRun[],
    private readonly clock: Clock,
  ) {}

  async report({ runner, aliveMs, runs, slots }: RunnerReport): Promise<void> {
    const now = this.clock.now();
    this.countLost();
    this.forgetSilent(now);
    const startedAt = this.live.get(runner.name)?.startedAt ?? now;
    this.live.set(runner.name, {
      ...structuredClone(runner),
      startedAt,
      seenAt: now,
      silentAt: now + aliveMs,
    });
    for (const told of runs) this.count(told, now);
    for (const { queue, id, ...slot } of slots) this.note({ queue, id }, { ...slot, at: now });
  }

  async leave(runner: string): Promise<void> {
    this.live.delete(runner);
  }

  async runners(): Promise<LiveRunner[]> {
    this.forgetSilent(this.clock.now());
    return [...this.live.values()].map(({ silentAt: _, ...runner }) => structuredClone(runner));
  }

  async jobs(queues: readonly string[]): Promise<JobFigures[]> {
    this.countLost();
    const told = [...new Set(queues)].flatMap((queue) => [...(this.queues.get(queue)?.jobs.values() ?? [])]);
    return told.map((figures) => ({ ...figures }));
  }

  async throughput(queue: string): Promise<Throughput> {
    const now = this.clock.now();
    this.countLost();
    const told = this.queues.get(queue);
    return { minutes: told?.minutes.latest(now) ?? [], hours: told?.hours.latest(now) ?? [] };
  }

  async slots(schedule: TaskRef): Promise<SlotOutcome[]> {
    this.countLost();
    return (this.schedules.find(schedule)?.outcomes ?? []).map((outcome) => ({ ...outcome }));
  }

  private forgetSilent(now: number): void {
    for (const { name, silentAt } of this.live.values()) if (silentAt <= now) this.live.delete(name);
  }

  /** Their runners may be gone: the claim that found them has left them to us. */
  private countLost(): void {
    for (const { task, outcome, error, at } of this.lost.splice(0)) {
      const { queue, job, scheduleId, slot } = task.given;
      const lastError = error && `${error.name}: ${error.message}`;
      const ended = outcome === 'lost' ? nothing : { ...nothing, [outcome]: 1 };
      this.count({ ...ended, queue, job, lost: 1, lastError }, at);
      if (scheduleId !== undefined && slot !== undefined)
        this.note({ queue, id: scheduleId }, { slot, task: task.id, outcome, at });
    }
  }

  private count(told: RunsOfJob, now: number): void {
    const { queue, job, lastError } = told;
    const of = this.told(queue);
    const before = of.jobs.get(job);
    of.jobs.set(job, {
      ...addCounts(before, told),
      queue,
      job,
      lastRunAt: now,
      lastFailureAt: told.failed > 0 || lastError !== undefined ? now : before?.lastFailureAt,
      lastError: lastError ?? before?.lastError,
    });
    of.minutes.add(told, now);
    of.hours.add(told, now);
  }

  /** In the schedule itself, with which it goes. */
  private note(ref: TaskRef, outcome: SlotOutcome): void {
    const schedule = this.schedules.find(ref);
    if (!schedule) return;
    const others = schedule.outcomes.filter(({ slot }) => slot !== outcome.slot);
    schedule.outcomes = [...others, outcome].sort((a, b) => b.slot - a.slot).slice(0, keptSlots);
  }

  private told(queue: string): Told {
    const known = this.queues.get(queue);
    if (known) return known;
    const minutes = new MemorySpans(minuteMs, hourMs);
    const told = {
      jobs: new Map<string, JobFigures>(),
      minutes,
      hours: new MemorySpans(hourMs, 7 * 24 * hourMs),
    };
    this.queues.set(queue, told);
    return told;
  }
}
