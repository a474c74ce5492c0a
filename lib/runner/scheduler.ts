import type { DueSchedule, DueSchedules } from '../backend/schedule-store.js';
import type { ClockTimer } from '../task/clock.js';
import { lineOf } from '../task/stored-error.js';
import { TaskIds } from '../task/task-id.js';
import { Declaring } from './declaring.js';
import type { Due } from './due-schedule.js';
import { Firing } from './firing.js';
import { FiringHooks } from './firing-hooks.js';
import { Forgetting } from './forgetting.js';
import type { RunnerParts } from './runner-session.js';
import type { RunnerSettings } from './runner-settings.js';
import { ScheduleLog } from './schedule-log.js';
import { StoreOutage } from './store-outage.js';
import { Strangers } from './strangers.js';

const context = 'JobRunner';

/** A wall clock may be set, and a machine may sleep: no look is put off for longer while there is a slot to come. */
const longestSleepMs = 60_000;
/** What cannot be done now is tried again no sooner. */
const leastPauseMs = 1_000;
/** How much one look goes through, page by page. */
const mostPages = 50;

/**
 * Fires the schedules of a runner's queues: sleeps until the next slot, a bell or the sweep, looks what is due, and moves it
 * on. There is no leader: every process does this, and the store decides who was first.
 */
export class Scheduler {
  private readonly outage: StoreOutage;
  private readonly declaring: Declaring;
  private readonly forgetting: Forgetting;
  private readonly firing: Firing;
  private readonly hooks: FiringHooks;
  private readonly strangers = new Strangers();
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
    this.forgetting = new Forgetting(backend, this.declaring, queues);
    this.lines = new ScheduleLog(taskLines);
    this.hooks = new FiringHooks(registry.hooks, clock, taskLines);
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
    this.hooks.end();
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
    // A timer may fire a little early: there must always be one.
    if (this.outage.isPausing) return this.sleep(this.outage.pausedUntil - this.parts.clock.elapsed());
    this.looking = this.look().finally(() => {
      this.looking = undefined;
      if (this.isRung) this.wake();
    });
  }

  private async look(): Promise<void> {
    const { clock } = this.parts;
    this.isRung = false;
    let nextAt: number;
    let trouble: unknown;
    try {
      trouble = await this.declaring.declare(clock.elapsed());
      const found = await this.fireAll();
      this.outage.answered();
      trouble ??= found.trouble;
      nextAt = Math.min(found.nextAt, trouble ? clock.elapsed() + leastPauseMs : this.declaring.nextAt);
      if (!trouble) await this.forgetting.look(clock.elapsed());
    } catch (error) {
      trouble = error;
      this.outage.failed();
      nextAt = this.outage.pausedUntil;
    }
    this.say(trouble);
    this.sleep(nextAt - clock.elapsed());
  }

  /** Once for each time that the store, or a part of it, falls silent; when it is back, it may have lost something. */
  private say(trouble: unknown): void {
    const isNews = trouble !== undefined && !this.isInTrouble && !this.isOver;
    if (trouble === undefined && this.isInTrouble) this.declaring.again();
    this.isInTrouble = trouble !== undefined;
    if (isNews)
      this.parts.log.write(
        'warn',
        context,
        `schedules cannot be looked at, trying again: ${lineOf(trouble)}`,
      );
  }

  /** Page by page, past those that stay due. Answers when there may be more to do, and what a part of the store lacked. */
  private async fireAll(): Promise<{ nextAt: number; trouble?: unknown }> {
    const { backend, clock } = this.parts;
    const skips = new Map(this.queues.map((queue) => [queue, 0]));
    let nextAt = Infinity;
    for (let page = 0; page < mostPages; page++) {
      const due = await backend.schedules.due(Array.from(skips, ([queue, skip]) => ({ queue, skip })));
      const askedAt = clock.elapsed();
      const { nextInMs, trouble } = await this.fire(due, skips);
      nextAt = Math.min(nextAt, askedAt + nextInMs);
      if (trouble || due.nextInMs > 0) return { nextAt: Math.min(nextAt, askedAt + due.nextInMs), trouble };
    }
    return { nextAt: clock.elapsed() + leastPauseMs };
  }

  /** Fires what it can of a page; `skips` counts what stays due. Answers when what was fired is due again. */
  private async fire(
    { schedules, unanswered }: DueSchedules,
    skips: Map<string, number>,
  ): Promise<{ nextInMs: number; trouble?: unknown }> {
    const mine: Due[] = [];
    const toDefer: DueSchedule[] = [];
    let nextInMs = Infinity;
    for (const schedule of schedules) {
      const due = this.declaring.has(schedule) ? this.plan(schedule) : undefined;
      const slot = due?.steps.at(-1)?.nextSlot;
      if (slot !== undefined) nextInMs = Math.min(nextInMs, Math.max(slot - schedule.now, 0));
      if (due && !this.hooks.isUnderWay(schedule)) mine.push(due);
      if (!due && this.strangers.meet(schedule, this.parts.clock.elapsed())) toDefer.push(schedule);
      else if (!due || this.hooks.has(due.job)) skips.set(schedule.queue, skips.get(schedule.queue)! + 1);
    }
    const silence = await this.firing.fire(mine);
    const undeferred = toDefer.length > 0 ? await this.defer(toDefer) : undefined;
    return { nextInMs, trouble: silence ?? unanswered?.[0]?.reason ?? undeferred };
  }

  private defer(strangers: readonly DueSchedule[]): Promise<unknown> {
    return this.parts.backend.schedules.defer(strangers, Strangers.deferMs).catch((error: unknown) => error);
  }

  private plan(schedule: DueSchedule): Due | undefined {
    const due = this.firing.plan(schedule);
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
