import type { Unanswered } from '../backend/backend.js';
import type { DueSchedule, DueSchedules } from '../backend/schedule-store.js';
import type { ClockTimer } from '../task/clock.js';
import { lineOf } from '../task/stored-error.js';
import { TaskIds } from '../task/task-id.js';
import { Declaring } from './declaring.js';
import type { Due } from './due-schedule.js';
import { Firing } from './firing.js';
import { FiringHooks } from './firing-hooks.js';
import { Forgetting } from './forgetting.js';
import { inOwnContext } from './own-context.js';
import { QueueOutages } from './queue-outages.js';
import type { RunnerParts } from './runner-session.js';
import type { RunnerSettings } from './runner-settings.js';
import { ScheduleLog } from './schedule-log.js';
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
  private readonly outages: QueueOutages;
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
  private saying: Promise<void> | undefined;
  private isRung = false;
  private isBehind = false;
  private isOver = false;

  constructor(
    private readonly parts: RunnerParts,
    private readonly settings: RunnerSettings,
    private readonly queues: readonly string[],
  ) {
    const { backend, clock, registry, declared, taskLines, events } = parts;
    this.outages = new QueueOutages(clock, (message, reason) => this.warn(message, reason));
    this.declaring = new Declaring(backend, declared.in(queues));
    this.forgetting = new Forgetting(backend, this.declaring, queues);
    this.lines = new ScheduleLog(taskLines);
    this.hooks = new FiringHooks(registry.hooks, clock, taskLines);
    this.firing = new Firing(backend, registry, new TaskIds(), this.hooks, this.lines, events);
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
    await Promise.all([this.looking, this.saying]);
  }

  private async listen(): Promise<void> {
    try {
      const stop = await this.parts.backend.bell.listenToSchedules(this.queues, () =>
        inOwnContext(() => this.wake()),
      );
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
    this.looking = this.look().finally(() => {
      this.looking = undefined;
      if (this.isRung) this.wake();
    });
  }

  private async look(): Promise<void> {
    const { clock } = this.parts;
    this.isRung = false;
    this.declare();
    const now = clock.elapsed();
    const asked = this.queues.filter((queue) => this.outages.pausedUntil(queue) <= now);
    let nextAt = asked.length > 0 ? await this.fireAll(asked) : Infinity;
    for (const queue of this.queues)
      if (this.outages.isSilent(queue)) nextAt = Math.min(nextAt, this.outages.pausedUntil(queue));
    if (!this.outages.areAny) await this.forgetting.look(clock.elapsed());
    this.sleep(Math.min(nextAt, this.declaring.nextAt) - clock.elapsed());
  }

  /** Beside the looks: a part of the store that is silent must not keep the slots of the others waiting. */
  private declare(): void {
    const now = this.parts.clock.elapsed();
    if (this.saying || now < this.declaring.nextAt) return;
    this.saying = this.declaring.declare(now).then((trouble) => {
      this.saying = undefined;
      const isNews = trouble !== undefined && !this.isBehind && !this.isOver;
      this.isBehind = trouble !== undefined;
      if (isNews) this.warn('those of this code cannot be stored yet, trying again', trouble);
      this.wake();
    });
  }

  /** Page by page, past those that stay due. Answers when there may be more to do. */
  private async fireAll(queues: readonly string[]): Promise<number> {
    const { backend, clock } = this.parts;
    const skips = new Map(queues.map((queue) => [queue, 0]));
    let nextAt = Infinity;
    try {
      for (let page = 0; page < mostPages; page++) {
        const due = await backend.schedules.due(Array.from(skips, ([queue, skip]) => ({ queue, skip })));
        const askedAt = clock.elapsed();
        const { nextInMs, unanswered } = await this.fire(due, skips);
        this.heard([...skips.keys()], unanswered);
        nextAt = Math.min(nextAt, askedAt + nextInMs);
        if (due.nextInMs > 0) return Math.min(nextAt, askedAt + due.nextInMs);
        for (const { queue } of unanswered) skips.delete(queue);
      }
    } catch (error) {
      this.outages.failed(Array.from(skips.keys(), (queue) => ({ queue, reason: error as Error })));
      return nextAt;
    }
    return clock.elapsed() + leastPauseMs;
  }

  /** Fires what it can of a page; `skips` counts what stays due. Answers when what was fired is due again. */
  private async fire({ schedules, unanswered = [] }: DueSchedules, skips: Map<string, number>) {
    const mine: Due[] = [];
    const toDefer: DueSchedule[] = [];
    let nextInMs = Infinity;
    for (const schedule of schedules) {
      const due = this.declaring.has(schedule) ? this.plan(schedule) : undefined;
      const slot = due?.steps.at(-1)?.nextSlot;
      if (slot !== undefined) nextInMs = Math.min(nextInMs, Math.max(slot - schedule.now, 0));
      const isBusy = this.hooks.isUnderWay(schedule) || this.declaring.isUnderWay(schedule);
      if (due && !isBusy) mine.push(due);
      if (!due && this.strangers.meet(schedule, this.parts.clock.elapsed())) toDefer.push(schedule);
      else if (!due || isBusy || this.hooks.has(due.job))
        skips.set(schedule.queue, skips.get(schedule.queue)! + 1);
    }
    const silent = await this.firing.fire(mine);
    // What could not be left out is met again.
    if (toDefer.length > 0)
      await this.parts.backend.schedules.defer(toDefer, Strangers.deferMs).catch(() => undefined);
    return { nextInMs, unanswered: [...unanswered, ...silent] };
  }

  private heard(queues: readonly string[], unanswered: readonly Unanswered[]): void {
    const silent = new Set(unanswered.map(({ queue }) => queue));
    for (const queue of queues) {
      if (silent.has(queue)) continue;
      // What was away may have lost something.
      if (this.outages.isSilent(queue)) this.declaring.again();
      this.outages.answered(queue);
    }
    this.outages.failed(unanswered);
  }

  private plan(schedule: DueSchedule): Due | undefined {
    const due = this.firing.plan(schedule);
    const name = `${schedule.queue}\n${schedule.id}`;
    if (due || !this.parts.registry.named(schedule.job) || this.unreadable.has(name)) return due;
    this.unreadable.add(name);
    this.lines.unreadable(schedule);
    return undefined;
  }

  private warn(message: string, reason?: unknown): void {
    const why = reason === undefined ? '' : `: ${lineOf(reason)}`;
    if (!this.isOver) this.parts.log.write('warn', context, `schedules: ${message}${why}`);
  }

  private sleep(delayMs: number): void {
    this.timer?.cancel();
    if (this.isOver) return;
    const { clock } = this.parts;
    const { bell } = this.parts.backend;
    // Sweeps that were begun together must not go on together.
    const sweepMs = bell.lossless ? Infinity : this.settings.pollIntervalMs * (0.75 + Math.random() / 4);
    const mostMs = Math.min(delayMs === Infinity || !clock.mayJump ? Infinity : longestSleepMs, sweepMs);
    if (Math.min(delayMs, mostMs) === Infinity) return;
    this.timer = clock.after(Math.ceil(Math.max(Math.min(delayMs, mostMs), 0)), () => this.wake());
  }
}
