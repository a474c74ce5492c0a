import type { DueSchedules, ScheduleRecord } from '../backend/schedule-store.js';
import type { ClockTimer } from '../task/clock.js';
import { lineOf } from '../task/stored-error.js';
import { TaskIds } from '../task/task-id.js';
import { Declaring, forgetAfterMs } from './declaring.js';
import type { Due } from './due-schedule.js';
import { Firing } from './firing.js';
import { FiringHooks } from './firing-hooks.js';
import type { RunnerParts } from './runner-session.js';
import type { RunnerSettings } from './runner-settings.js';
import { ScheduleLog } from './schedule-log.js';
import { StoreOutage } from './store-outage.js';

const context = 'JobRunner';

/** A wall clock may be set, and a machine may sleep: no look is put off for longer while there is a slot to come. */
const longestSleepMs = 60_000;
/** A page that is full of schedules which others must fire is not asked for again at once. */
const leastPauseMs = 1_000;
/** A due schedule that nobody has fired for so long is one that nobody here knows: it is left out for as long again. */
const strangerAfterMs = 60_000;

/**
 * Fires the schedules of a runner's queues: sleeps until the next slot, a bell or the sweep, looks what is due, and moves it
 * on. There is no leader: every process does this, and the store decides who was first.
 */
export class Scheduler {
  private readonly outage: StoreOutage;
  private readonly declaring: Declaring;
  private readonly firing: Firing;
  private readonly hooks: FiringHooks;
  private readonly unreadable = new Set<string>();
  private readonly lines: ScheduleLog;
  private stopListening: () => void = () => undefined;
  private timer: ClockTimer | undefined;
  private looking: Promise<void> | undefined;
  private isRung = false;
  private isOver = false;

  constructor(
    private readonly parts: RunnerParts,
    private readonly settings: RunnerSettings,
    private readonly queues: readonly string[],
  ) {
    const { backend, clock, registry, declared, taskLines } = parts;
    this.outage = new StoreOutage(clock);
    this.declaring = new Declaring(backend, declared.in(queues));
    this.lines = new ScheduleLog(taskLines);
    this.hooks = new FiringHooks(registry.hooks, taskLines, () => this.wake());
    this.firing = new Firing(backend, registry, new TaskIds(), this.hooks, this.lines);
  }

  begin(): void {
    void this.listen();
    this.wake();
  }

  /** What is being fired is brought to its end, but a hook that hangs is not waited for. */
  async end(): Promise<void> {
    this.isOver = true;
    this.timer?.cancel();
    this.stopListening();
    await this.looking;
  }

  private async listen(): Promise<void> {
    try {
      const stop = await this.parts.backend.bell.listenToSchedules(this.queues, () => this.wake());
      if (this.isOver) return stop();
      this.stopListening = stop;
      this.wake(); // What was rung before anyone listened.
    } catch {
      // The runner says that the bell cannot be heard; the sweep does its work.
    }
  }

  private wake(): void {
    this.isRung = true;
    if (this.looking || this.isOver) return;
    // A bell, or a timer that comes a moment early: either way there must be a timer for the end of the pause.
    if (this.outage.isPausing) return this.sleep(this.outage.pausedUntil - this.parts.clock.elapsed());
    this.looking = this.look().finally(() => {
      this.looking = undefined;
      if (this.isRung) this.wake();
    });
  }

  private async look(): Promise<void> {
    const { backend, clock, log } = this.parts;
    this.isRung = false;
    try {
      await this.declaring.declare(clock.elapsed());
      const due = await backend.schedules.due(this.queues, forgetAfterMs);
      const askedAt = clock.elapsed();
      const nextInMs = await this.fire(due);
      if (due.unanswered) throw due.unanswered[0]!.reason;
      this.outage.answered();
      this.sleep(askedAt + nextInMs - clock.elapsed());
    } catch (error) {
      if (this.outage.failed() && !this.isOver)
        log.write('warn', context, `schedules cannot be looked at, trying again: ${lineOf(error)}`);
      this.sleep(this.outage.pausedUntil - clock.elapsed());
    }
  }

  /** Answers when there may be more to do. */
  private async fire({ schedules, now, nextInMs }: DueSchedules): Promise<number> {
    const mine: Due[] = [];
    const strangers: ScheduleRecord[] = [];
    let next = nextInMs;
    for (const schedule of schedules) {
      const due = this.declaring.has(schedule) ? this.plan(schedule, now) : undefined;
      if (due) mine.push(due);
      else if (now - schedule.nextSlot > strangerAfterMs) strangers.push(schedule);
      const slot = due?.steps.at(-1)?.nextSlot;
      if (slot !== undefined) next = Math.min(next, slot - now);
    }
    if (strangers.length > 0) await this.parts.backend.schedules.defer(strangers, strangerAfterMs);
    await this.firing.fire(mine);
    return Math.max(next, mine.length === 0 ? Math.min(leastPauseMs, nextInMs || leastPauseMs) : 0);
  }

  private plan(schedule: ScheduleRecord, now: number): Due | undefined {
    const due = this.firing.plan(schedule, now);
    const name = `${schedule.queue}\n${schedule.id}`;
    if (due || !this.parts.registry.named(schedule.job) || this.unreadable.has(name)) return due;
    this.unreadable.add(name);
    this.lines.unreadable(schedule);
    return undefined;
  }

  private sleep(delayMs: number): void {
    this.timer?.cancel();
    if (this.isOver) return;
    const { bell } = this.parts.backend;
    // Sweeps that were begun together must not go on together.
    const sweepMs = bell.lossless ? Infinity : this.settings.pollIntervalMs * (0.75 + Math.random() / 4);
    const mostMs = Math.min(delayMs === Infinity ? Infinity : longestSleepMs, sweepMs);
    if (Math.min(delayMs, mostMs) === Infinity) return;
    this.timer = this.parts.clock.after(Math.ceil(Math.max(Math.min(delayMs, mostMs), 0)), () => this.wake());
  }
}
