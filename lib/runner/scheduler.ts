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
/** A page that is full of schedules which others must fire, or a store with a silent part, is not asked again at once. */
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
  private isInTrouble = false;
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
    if (this.looking || this.isOver || this.outage.isPausing) return;
    this.looking = this.look().finally(() => {
      this.looking = undefined;
      if (this.isRung) this.wake();
    });
  }

  private async look(): Promise<void> {
    const { backend, clock } = this.parts;
    this.isRung = false;
    try {
      await this.declaring.declare(clock.elapsed());
      const due = await backend.schedules.due(this.queues, forgetAfterMs);
      const askedAt = clock.elapsed();
      this.outage.answered();
      const { nextInMs, silence } = await this.fire(due);
      this.say(silence);
      // A part that is silent is asked again soon, and keeps the slots of the others from nothing.
      this.sleep(askedAt + Math.min(nextInMs, silence ? leastPauseMs : Infinity) - clock.elapsed());
    } catch (error) {
      this.outage.failed();
      this.say(error);
      this.sleep(this.outage.pausedUntil - clock.elapsed());
    }
  }

  /** Once for each time that the store, or a part of it, falls silent. */
  private say(trouble: unknown): void {
    const isNews = trouble !== undefined && !this.isInTrouble && !this.isOver;
    this.isInTrouble = trouble !== undefined;
    if (isNews)
      this.parts.log.write(
        'warn',
        context,
        `schedules cannot be looked at, trying again: ${lineOf(trouble)}`,
      );
  }

  /** Answers when there may be more to do, and why a part of the store is silent, if one is. */
  private async fire({ schedules, now, nextInMs, unanswered }: DueSchedules) {
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
    const silence = (await this.firing.fire(mine)) ?? unanswered?.[0]?.reason;
    const leastMs = mine.length === 0 && nextInMs === 0 ? leastPauseMs : 0;
    return { nextInMs: Math.max(next, leastMs), silence };
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
