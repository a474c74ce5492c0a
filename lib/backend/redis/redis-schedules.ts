import type { TaskRef } from '../../task/task-record.js';
import type { BackendSettings } from '../backend.js';
import type {
  Advance,
  Advanced,
  DueSchedules,
  NewSchedule,
  ScheduleRecord,
  ScheduleStore,
  SeenSchedule,
} from '../schedule-store.js';
import { advanceSchedules } from './redis-advance.js';
import type { RedisConnection } from './redis-connection.js';
import { dueSchedules } from './redis-due.js';
import { keepText } from './redis-records.js';
import { readSchedule, valuesPerSchedule } from './redis-schedule-records.js';

const schedulesPerCall = 500;

/** A schedule and, where that matters, the slot at which it must stand. */
type Named = TaskRef & { readonly nextSlot?: number };

export class RedisSchedules implements ScheduleStore {
  constructor(
    private readonly connection: RedisConnection,
    private readonly settings: BackendSettings,
  ) {}

  async now(queue: string): Promise<number> {
    const [seconds, microseconds] = (await this.connection.run('now', [queue], [])) as string[];
    return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
  }

  async put(
    { queue, id, job, rule, template, nextSlot, isDeclared }: NewSchedule,
    when: 'absent' | 'changed' | 'always',
  ): Promise<'stored' | 'existing' | 'replaced'> {
    this.connection.note([queue]);
    const args = [when, id, nextSlot, isDeclared ? 1 : 0, job, rule, template];
    return (await this.connection.run('putSchedule', [queue], args)) as 'stored' | 'existing' | 'replaced';
  }

  async declare(refs: readonly TaskRef[]): Promise<void> {
    await this.actOnAll('declare', refs);
  }

  async remove(ref: TaskRef): Promise<boolean> {
    return this.actOnOne('remove', ref);
  }

  due(queues: readonly string[], forgetAfterMs: number): Promise<DueSchedules> {
    return dueSchedules(this.connection, queues, forgetAfterMs);
  }

  async defer(seen: readonly SeenSchedule[], forMs: number): Promise<void> {
    await this.actOnAll('defer', seen, Math.round(forMs));
  }

  advance(advances: readonly Advance[]): Promise<Advanced[]> {
    this.connection.note(new Set(advances.flatMap(({ queue, task }) => (task ? [queue] : []))));
    return advanceSchedules(this.connection, advances, keepText(this.settings.cancelledKeepMs));
  }

  async get({ queue, id }: TaskRef): Promise<ScheduleRecord | undefined> {
    const reply = (await this.connection.run('readSchedules', [queue], ['get', id])) as string[];
    return reply.length > 0 ? readSchedule(queue, reply, 0) : undefined;
  }

  async list(
    queue: string,
    { limit, after = '' }: { limit: number; after?: string },
  ): Promise<ScheduleRecord[]> {
    const reply = (await this.connection.run('readSchedules', [queue], ['list', limit, after])) as string[];
    const records: ScheduleRecord[] = [];
    for (let at = 0; at < reply.length; at += valuesPerSchedule) records.push(readSchedule(queue, reply, at));
    return records;
  }

  async pause(ref: TaskRef): Promise<boolean> {
    return this.actOnOne('pause', ref);
  }

  async resume({ queue, id }: TaskRef, slot: number, nextSlot: number): Promise<'resumed' | 'lost'> {
    const isResumed = await this.actOnOne('resume', { queue, id, nextSlot: slot }, nextSlot);
    return isResumed ? 'resumed' : 'lost';
  }

  /** Every queue is asked, also where another gives no answer. */
  private async actOnAll(op: 'declare' | 'defer', schedules: readonly Named[], argument?: number) {
    const byQueue = new Map<string, Named[]>();
    for (const schedule of schedules) {
      const others = byQueue.get(schedule.queue);
      if (others) others.push(schedule);
      else byQueue.set(schedule.queue, [schedule]);
    }
    const calls: Promise<number[]>[] = [];
    for (const some of byQueue.values())
      for (let from = 0; from < some.length; from += schedulesPerCall)
        calls.push(this.act(op, some.slice(from, from + schedulesPerCall), argument));
    for (const answer of await Promise.allSettled(calls))
      if (answer.status === 'rejected') throw answer.reason;
  }

  private async actOnOne(
    op: 'remove' | 'pause' | 'resume',
    schedule: Named,
    argument?: number,
  ): Promise<boolean> {
    const [isDone] = await this.act(op, [schedule], argument);
    return isDone === 1;
  }

  /** For schedules of one queue. */
  private act(op: string, schedules: readonly Named[], argument: number | '' = ''): Promise<number[]> {
    const args = [op, argument, ...schedules.flatMap(({ id, nextSlot = '' }) => [id, nextSlot])];
    return this.connection.run('actOnSchedules', [schedules[0]!.queue], args) as Promise<number[]>;
  }
}
