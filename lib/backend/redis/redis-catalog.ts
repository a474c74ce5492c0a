import { sizeOf, type TaskRecord, type TaskRef, type TaskState } from '../../task/task-record.js';
import type { BackendSettings } from '../backend.js';
import {
  pageBytes,
  type Acted,
  type CatalogStore,
  type PageRequest,
  type QueueGlance,
  type TaskPage,
  type SeenTask,
} from '../catalog-store.js';
import type { HeldLock, LockPage, LockRef } from '../held-lock.js';
import type { RedisConnection } from './redis-connection.js';
import { glance, readCounts } from './redis-glance.js';
import { readLock, readLocks, releaseLock } from './redis-locks.js';
import { placeText, readPlace } from './redis-places.js';
import { keepText, readRecord, valuesPerTask } from './redis-records.js';

const idsPerCall = 500;
const tasksPerCall = 500;

export class RedisCatalog implements CatalogStore {
  constructor(
    private readonly connection: RedisConnection,
    private readonly settings: BackendSettings,
  ) {}

  async get({ queue, id }: TaskRef): Promise<TaskRecord | undefined> {
    const reply = (await this.connection.run('read', [queue], ['get', id])) as string[];
    return reply.length > 0 ? readRecord(queue, reply, 0) : undefined;
  }

  async list(queue: string, state: TaskState, { limit, after, backwards }: PageRequest): Promise<TaskPage> {
    const tasks: TaskRecord[] = [];
    let place = readPlace(state, after);
    let bytes = 0;
    // In bounded pieces, so that others get their turn in between.
    do {
      const most = Math.min(limit - tasks.length, tasksPerCall);
      const args = ['list', state, most, backwards ? 1 : 0, ...place];
      const reply = (await this.connection.run('read', [queue], args)) as string[];
      place = [reply[0]!, reply[1]!];
      for (let at = 2; at < reply.length; at += valuesPerTask) {
        const task = readRecord(queue, reply, at);
        tasks.push(task);
        bytes += sizeOf(task);
      }
    } while (place[0] !== '' && tasks.length < limit && bytes <= pageBytes);
    return { tasks, next: placeText(state, place) };
  }

  async counts(queue: string): Promise<Record<TaskState, number>> {
    return readCounts((await this.connection.run('read', [queue], ['counts'])) as number[]);
  }

  glance(queues: readonly string[]): Promise<QueueGlance[]> {
    return glance(this.connection, queues);
  }

  queues(): Promise<string[]> {
    return this.connection.queues();
  }

  retry(refs: readonly SeenTask[]): Promise<Acted[]> {
    return this.act('retry', refs);
  }

  cancel(refs: readonly SeenTask[]): Promise<(Acted | 'requested')[]> {
    return this.act<Acted | 'requested'>('cancel', refs);
  }

  remove(refs: readonly SeenTask[]): Promise<Acted[]> {
    return this.act('remove', refs);
  }

  runNow(refs: readonly SeenTask[]): Promise<Acted[]> {
    return this.act('run', refs);
  }

  async pause(queue: string, forMs = Infinity): Promise<void> {
    await this.connection.run('pause', [queue], ['pause', keepText(forMs)]);
  }

  async resume(queue: string): Promise<void> {
    await this.connection.run('pause', [queue], ['resume']);
  }

  async isPaused(queue: string): Promise<boolean> {
    return (await this.connection.run('pause', [queue], ['ask'])) === 1;
  }

  lock(ref: LockRef): Promise<HeldLock | undefined> {
    return readLock(this.connection, ref);
  }

  locks(queue: string, page: { limit: number; after?: string }): Promise<LockPage> {
    return readLocks(this.connection, queue, page);
  }

  releaseLock(ref: LockRef): Promise<boolean> {
    return releaseLock(this.connection, ref);
  }

  /** In bounded pieces, so that others get their turn in between. */
  private async act<A = Acted>(op: string, refs: readonly SeenTask[]): Promise<A[]> {
    const answers: A[] = [];
    const queues = new Set(refs.map(({ queue }) => queue));
    for (const queue of queues) {
      const items = refs.map((ref, index) => ({ ...ref, index })).filter((ref) => ref.queue === queue);
      for (let from = 0; from < items.length; from += idsPerCall) {
        const some = items.slice(from, from + idsPerCall);
        const args = [
          op,
          keepText(this.settings.cancelledKeepMs),
          ...some.flatMap(({ id, state = '' }) => [id, state]),
        ];
        const reply = (await this.connection.run('act', [queue], args)) as A[];
        some.forEach(({ index }, at) => (answers[index] = reply[at]!));
      }
    }
    return answers;
  }
}
