import type { TaskRef } from '../../task/task-record.js';
import type { BackendSettings } from '../backend.js';
import type {
  Advance,
  Advanced,
  AskedSchedules,
  DueSchedules,
  NewSchedule,
  SchedulePage,
  ScheduleRecord,
  ScheduleStore,
  SeenSchedule,
} from '../schedule-store.js';
import { advanceSchedules } from './redis-advance.js';
import type { RedisConnection } from './redis-connection.js';
import { dueSchedules } from './redis-due.js';
import { placeText, readPlace } from './redis-places.js';
import { keepText } from './redis-records.js';
import { readSchedule, scheduleArguments, valuesPerSchedule } from './redis-schedule-records.js';

const schedulesPerCall = 500;

/** What lua/act-on-schedules.lua answers. */
const [done, gone] = [1, -1];

/** A schedule and, where something must be so, what: see lua/act-on-schedules.lua. */
type Named = TaskRef & { readonly if?: number };

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
    schedule: NewSchedule,
    when: 'absent' | 'replace',
  ): Promise<'stored' | 'existing' | 'replaced' | 'passed'> {
    const { queue } = schedule;
    this.connection.note([queue]);
    const answer = await this.connection.run('putSchedule', [queue], [when, ...scheduleArguments(schedule)]);
    return answer as 'stored' | 'existing' | 'replaced' | 'passed';
  }

  declare(refs: readonly TaskRef[]): Promise<TaskRef[]> {
    return this.actOnAll('declare', refs);
  }

  remove({ queue, id }: TaskRef, declaredAt?: number): Promise<boolean> {
    return this.actOnOne('remove', { queue, id, if: declaredAt });
  }

  due(asked: readonly AskedSchedules[]): Promise<DueSchedules> {
    return dueSchedules(this.connection, asked);
  }

  async defer(seen: readonly SeenSchedule[], forMs: number): Promise<void> {
    const named = seen.map(({ queue, id, nextSlot }) => ({ queue, id, if: nextSlot }));
    await this.actOnAll('defer', named, Math.round(forMs));
  }

  advance(advances: readonly Advance[]): Promise<Advanced[]> {
    this.connection.note(new Set(advances.flatMap(({ queue, task }) => (task ? [queue] : []))));
    return advanceSchedules(this.connection, advances, keepText(this.settings.cancelledKeepMs));
  }

  async get({ queue, id }: TaskRef): Promise<ScheduleRecord | undefined> {
    const reply = (await this.connection.run('readSchedules', [queue], ['get', id])) as string[];
    return reply.length > 0 ? readSchedule(queue, reply, 0) : undefined;
  }

  async list(queue: string, { limit, after }: { limit: number; after?: string }): Promise<SchedulePage> {
    const schedules: ScheduleRecord[] = [];
    let place = readPlace('schedules', after);
    do {
      const args = ['list', Math.min(limit - schedules.length, schedulesPerCall), ...place];
      const reply = (await this.connection.run('readSchedules', [queue], args)) as string[];
      place = [reply[0]!, reply[1]!];
      for (let at = 2; at < reply.length; at += valuesPerSchedule)
        schedules.push(readSchedule(queue, reply, at));
    } while (place[0] !== '' && schedules.length < limit);
    return { schedules, next: placeText('schedules', place) };
  }

  pause({ queue, id }: TaskRef): Promise<boolean> {
    return this.actOnOne('pause', { queue, id });
  }

  async resume({ queue, id }: TaskRef, slot: number, nextSlot: number): Promise<'resumed' | 'lost'> {
    const isResumed = await this.actOnOne('resume', { queue, id, if: slot }, nextSlot);
    return isResumed ? 'resumed' : 'lost';
  }

  /** Every queue is asked, also where another gives no answer. Answers those that are gone. */
  private async actOnAll<T extends Named>(
    op: 'declare' | 'defer',
    schedules: readonly T[],
    argument?: number,
  ): Promise<T[]> {
    const byQueue = new Map<string, T[]>();
    for (const schedule of schedules) {
      const others = byQueue.get(schedule.queue);
      if (others) others.push(schedule);
      else byQueue.set(schedule.queue, [schedule]);
    }
    const calls: Promise<T[]>[] = [];
    for (const all of byQueue.values())
      for (let from = 0; from < all.length; from += schedulesPerCall) {
        const some = all.slice(from, from + schedulesPerCall);
        calls.push(
          this.act(op, some, argument).then((answers) => some.filter((_, n) => answers[n] === gone)),
        );
      }
    return (await Promise.allSettled(calls)).flatMap((answer) => {
      if (answer.status === 'rejected') throw answer.reason;
      return answer.value;
    });
  }

  private async actOnOne(
    op: 'remove' | 'pause' | 'resume',
    schedule: Named,
    argument?: number,
  ): Promise<boolean> {
    const [isDone] = await this.act(op, [schedule], argument);
    return isDone === done;
  }

  /** For schedules of one queue. */
  private act(op: string, schedules: readonly Named[], argument: number | '' = ''): Promise<number[]> {
    const args = [op, argument, ...schedules.flatMap((schedule) => [schedule.id, schedule.if ?? ''])];
    return this.connection.run('actOnSchedules', [schedules[0]!.queue], args) as Promise<number[]>;
  }
}
