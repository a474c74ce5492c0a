import type { Backend } from '../backend/backend.js';
import type { Clock } from '../task/clock.js';
import { readFinishHint } from '../task/finish-hint.js';
import type { TaskRecord } from '../task/task-record.js';
import { AwaitedTask, type AwaitedRef, type Waiter } from './awaited-task.js';
import { QueueClosedError, ResultMissingError, ResultTimeoutError } from './errors.js';
import { resultOf, type ResultEnd } from './result-end.js';

/** Looks that are under way at once. */
const mostLooks = 8;
/** All who wait, however many, leave so much between two looks: the store has other work. */
const apartMs = 5;
/** A wire that could not be listened to is tried again no sooner. */
const listenAgainMs = 5_000;

/**
 * Waits for the ends of tasks, wherever they run: a hint of the runner says when to look, and where that was lost, looks with
 * growing pauses find it.
 */
export class ResultWaits {
  private readonly tasks = new Map<string, AwaitedTask>();
  private readonly due = new Set<AwaitedTask>();
  private looks = 0;
  private stopListening: () => void = () => undefined;
  private listenAt = -Infinity;
  private isOver = false;

  constructor(
    private readonly backend: Pick<Backend, 'catalog' | 'events'>,
    private readonly clock: Clock,
    /** Those that may hold a task of which only the id is known. */
    private readonly queues: () => Promise<string[]>,
  ) {}

  wait(ref: AwaitedRef, timeoutMs: number): Promise<unknown> {
    if (this.isOver) return Promise.reject(closed(ref));
    this.listen();
    return new Promise((resolve, reject) => {
      const task = this.awaited(ref);
      const waiter: Waiter = { task, resolve, reject };
      waiter.deadline = this.clock.after(timeoutMs, () => this.timeOut(waiter, timeoutMs));
      task.add(waiter);
      this.look(task);
    });
  }

  /** Something has happened that no hint tells of, and where time stands still no pause comes to its end. */
  lookAgain(): void {
    for (const task of this.tasks.values()) this.look(task);
  }

  /** Whoever still waits gets an answer now. */
  close(): void {
    this.isOver = true;
    this.stopListening();
    for (const task of this.tasks.values()) this.end(task, { error: closed(task.ref) });
  }

  private awaited(ref: AwaitedRef): AwaitedTask {
    const name = AwaitedTask.nameOf(ref);
    let task = this.tasks.get(name);
    if (!task) this.tasks.set(name, (task = new AwaitedTask(ref)));
    return task;
  }

  private timeOut(waiter: Waiter, timeoutMs: number): void {
    const { task, reject } = waiter;
    const { ref, state, trouble } = task;
    reject(new ResultTimeoutError(ref, timeoutMs, state, trouble === undefined ? {} : { cause: trouble }));
    task.waiters.delete(waiter);
    if (task.waiters.size === 0) this.forget(task);
  }

  private end(task: AwaitedTask, end: ResultEnd): void {
    task.end(end);
    this.forget(task);
  }

  private forget(task: AwaitedTask): void {
    task.rest?.cancel();
    this.due.delete(task);
    this.tasks.delete(task.name);
  }

  /** At once, or when one of those that are under way is done. */
  private look(task: AwaitedTask): void {
    task.rest?.cancel();
    task.rest = undefined;
    if (task.isLooking) task.isHinted = true;
    else this.due.add(task);
    this.lookAtDue();
  }

  private lookAtDue(): void {
    for (const task of this.due) {
      if (this.looks >= mostLooks) return;
      this.due.delete(task);
      this.looks++;
      task.isLooking = true;
      void this.lookAt(task).finally(() => {
        this.looks--;
        this.lookAtDue();
      });
    }
  }

  private async lookAt(task: AwaitedTask): Promise<void> {
    task.isHinted = false;
    let record: TaskRecord | undefined;
    task.trouble = undefined;
    try {
      record = await this.find(task.ref);
    } catch (error) {
      // The store may be back before the caller's patience ends.
      task.trouble = error;
    }
    task.isLooking = false;
    if (this.tasks.get(task.name) !== task) return;
    // Somebody has come, or it was told to have finished, since this look began: it may be out of date.
    if (task.isHinted) return this.look(task);
    if (task.trouble !== undefined) return this.rest(task);
    const end = record ? resultOf(record) : { error: new ResultMissingError(task.ref) };
    if (end) this.end(task, end);
    else this.goOn(task, record!);
  }

  private async find({ queue, id }: AwaitedRef): Promise<TaskRecord | undefined> {
    const { catalog } = this.backend;
    if (queue !== undefined) return catalog.get({ queue, id });
    for (const known of await this.queues()) {
      const record = await catalog.get({ queue: known, id });
      if (record) return record;
    }
    return undefined;
  }

  /** It has not ended. One that was known by its id alone has its queue now, by which a hint can find it. */
  private goOn(task: AwaitedTask, { queue, id, state }: TaskRecord): void {
    const named = this.awaited({ queue, id });
    named.state = state;
    if (named === task) return this.rest(task);
    for (const waiter of task.waiters) named.add(waiter);
    task.waiters.clear();
    this.forget(task);
    if (!named.isLooking) this.look(named);
  }

  private rest(task: AwaitedTask): void {
    const pauseMs = Math.max(task.nextPauseMs(), this.tasks.size * apartMs);
    task.rest = this.clock.after(pauseMs * (0.75 + Math.random() / 4), () => this.look(task));
  }

  /** Once, by the first who waits. Without it, looks alone find what has ended. */
  private listen(): void {
    if (this.clock.elapsed() < this.listenAt) return;
    this.listenAt = Infinity;
    this.backend.events
      .listen((text) => this.heard(text))
      .then(
        (stop) => {
          if (this.isOver) stop();
          else this.stopListening = stop;
        },
        () => (this.listenAt = this.clock.elapsed() + listenAgainMs),
      );
  }

  private heard(text: string): void {
    if (this.tasks.size === 0) return;
    for (const ref of readFinishHint(text)) {
      const task = this.tasks.get(AwaitedTask.nameOf(ref));
      if (task) this.look(task);
    }
  }
}

function closed({ id }: AwaitedRef): Error {
  return new QueueClosedError(
    `task ${id}: the application closes, and nobody here waits for its end any more`,
  );
}
