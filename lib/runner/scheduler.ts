import type { DueSchedules, ScheduleRecord } from '../backend/schedule-store.js';
import type { ClockTimer } from '../task/clock.js';
import { lineOf } from '../task/stored-error.js';
import { TaskIds } from '../task/task-id.js';
import { Declaring, forgetAfterMs } from './declaring.js';
import type { Due } from './due-schedule.js';
import { Firing } from './firing.js';
import { FiringHooks } from './firing-hooks.js';
import { QueueOutages } from './queue-outages.js';
import type { RunnerParts } from './runner-session.js';
import type { RunnerSettings } from './runner-settings.js';
import { ScheduleLog } from './schedule-log.js';

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
  private readonly outages: QueueOutages;
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
    this.outages = new QueueOutages(clock, (message, reason) => this.say(message, reason));
    this.declaring = new Declaring(parts, declared.in(queues), () => this.wake());
    this.lines = new ScheduleLog(taskLines);
    this.hooks = new FiringHooks(registry.hooks, taskLines, () => this.wake());
    this.firing = new Firing(backend, registry, new TaskIds(), this.hooks, this.lines);
  }

  begin(): void {
    this.declaring.begin();
    void this.listen();
    this.wake();
  }

  /** What is being fired is brought to its end, but a hook that hangs is not waited for. */
  async end(): Promise<void> {
    this.isOver = true;
    this.timer?.cancel();
    this.stopListening();
    await Promise.all([this.declaring.end(), this.looking]);
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
    this.looking = this.look().finally(() => {
      this.looking = undefined;
      if (this.isRung) this.wake();
    });
  }

  private async look(): Promise<void> {
    this.isRung = false;
    const { clock } = this.parts;
    const now = clock.elapsed();
    const asked = this.queues.filter((queue) => this.outages.pausedUntil(queue) <= now);
    let nextAt = asked.length > 0 ? await this.ask(asked) : Infinity;
    for (const queue of this.queues) {
      const pausedUntil = this.outages.pausedUntil(queue);
      if (pausedUntil > now) nextAt = Math.min(nextAt, pausedUntil);
    }
    this.sleep(nextAt - clock.elapsed());
  }

  /** Answers when to look again. A part of the store that is silent leaves the schedules of the others as they are. */
  private async ask(queues: readonly string[]): Promise<number> {
    const { backend, clock } = this.parts;
    try {
      const due = await backend.schedules.due(queues, forgetAfterMs);
      const answeredAt = clock.elapsed();
      const { mine, strangers, nextInMs } = this.sort(due);
      const unanswered = [...(due.unanswered ?? []), ...(await this.firing.fire(mine))];
      // What could not be left out is met again.
      if (strangers.length > 0)
        await backend.schedules.defer(strangers, strangerAfterMs).catch(() => undefined);
      const silent = new Set(unanswered.map(({ queue }) => queue));
      for (const queue of queues) if (!silent.has(queue)) this.outages.answered(queue);
      this.outages.failed(unanswered);
      return answeredAt + nextInMs;
    } catch (error) {
      this.outages.failed(queues.map((queue) => ({ queue, reason: error as Error })));
      return Infinity;
    }
  }

  /** Tells what this process is to fire, what it is to leave out for a while, and when there may be more. */
  private sort({ schedules, now, nextInMs }: DueSchedules) {
    const mine: Due[] = [];
    const strangers: ScheduleRecord[] = [];
    let next = nextInMs;
    for (const schedule of schedules) {
      if (this.declaring.isUnderWay(schedule) || this.hooks.isUnderWay(schedule)) continue;
      const due = this.declaring.has(schedule) ? this.plan(schedule, now) : undefined;
      if (due) mine.push(due);
      else if (now - schedule.nextSlot > strangerAfterMs) strangers.push(schedule);
      const slot = due?.steps.at(-1)?.nextSlot;
      if (slot !== undefined) next = Math.min(next, slot - now);
    }
    const least = mine.length === 0 ? Math.min(leastPauseMs, nextInMs || leastPauseMs) : 0;
    return { mine, strangers, nextInMs: Math.max(next, least) };
  }

  private plan(schedule: ScheduleRecord, now: number): Due | undefined {
    const due = this.firing.plan(schedule, now);
    const name = `${schedule.queue}\n${schedule.id}`;
    if (due || !this.parts.registry.named(schedule.job) || this.unreadable.has(name)) return due;
    this.unreadable.add(name);
    this.lines.unreadable(schedule);
    return undefined;
  }

  private say(message: string, reason?: Error): void {
    if (!this.isOver)
      this.parts.log.write('warn', context, `schedules: ${message}${reason ? `: ${lineOf(reason)}` : ''}`);
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
