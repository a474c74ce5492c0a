import type { TaskRecord, TaskRef, TaskState } from '../../task/task-record.js';
import type { Acted, BackendSettings, CatalogStore } from '../backend.js';
import type { HeldLock, LockPage, LockRef } from '../held-lock.js';
import type { RedisConnection } from './redis-connection.js';
import { readLock, readLocks, releaseLock } from './redis-locks.js';
import { keepText, readRecord } from './redis-records.js';

const valuesPerTask = 9;
const idsPerCall = 500;

export class RedisCatalog implements CatalogStore {
  constructor(
    private readonly connection: RedisConnection,
    private readonly settings: BackendSettings,
  ) {}

  async get({ queue, id }: TaskRef): Promise<TaskRecord | undefined> {
    const reply = (await this.connection.run('read', [queue], ['get', id])) as string[];
    return reply.length > 0 ? readRecord(queue, reply, 0) : undefined;
  }

  async list(
    queue: string,
    state: TaskState,
    { limit, after = '' }: { limit: number; after?: string },
  ): Promise<TaskRecord[]> {
    const reply = (await this.connection.run('read', [queue], ['list', state, limit, after])) as string[];
    const records: TaskRecord[] = [];
    for (let at = 0; at < reply.length; at += valuesPerTask) records.push(readRecord(queue, reply, at));
    return records;
  }

  async counts(queue: string): Promise<Record<TaskState, number>> {
    const reply = (await this.connection.run('read', [queue], ['counts'])) as number[];
    const [scheduled, waiting, pending, succeeded, dead, cancelled, parked] = reply as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    return { scheduled, waiting, pending, succeeded, dead, cancelled, parked };
  }

  queues(): Promise<string[]> {
    return this.connection.queues();
  }

  retry(refs: readonly TaskRef[]): Promise<Acted[]> {
    return this.act('retry', refs);
  }

  cancel(refs: readonly TaskRef[]): Promise<(Acted | 'requested')[]> {
    return this.act<Acted | 'requested'>('cancel', refs);
  }

  remove(refs: readonly TaskRef[]): Promise<Acted[]> {
    return this.act('remove', refs);
  }

  runNow(refs: readonly TaskRef[]): Promise<Acted[]> {
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
  private async act<A = Acted>(op: string, refs: readonly TaskRef[]): Promise<A[]> {
    const answers: A[] = [];
    const queues = new Set(refs.map(({ queue }) => queue));
    for (const queue of queues) {
      const items = refs.map((ref, index) => ({ ...ref, index })).filter((ref) => ref.queue === queue);
      for (let from = 0; from < items.length; from += idsPerCall) {
        const some = items.slice(from, from + idsPerCall);
        const args = [op, keepText(this.settings.cancelledKeepMs), ...some.map(({ id }) => id)];
        const reply = (await this.connection.run('act', [queue], args)) as A[];
        some.forEach(({ index }, at) => (answers[index] = reply[at]!));
      }
    }
    return answers;
  }
}
