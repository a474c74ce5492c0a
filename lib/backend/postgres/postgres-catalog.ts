import type { TaskRecord, TaskRef, TaskState } from '../../task/task-record.js';
import type { Acted, BackendSettings, CatalogStore } from '../backend.js';
import {
  pageBytes,
  type PageRequest,
  type QueueGlance,
  type TaskPage,
  type SeenTask,
} from '../catalog-store.js';
import type { HeldLock, LockPage, LockRef } from '../held-lock.js';
import type { PostgresBell } from './postgres-bell.js';
import type { PostgresFunctions } from './postgres-functions.js';
import { cursorOf, taskPlace } from './postgres-pages.js';
import { keepArgument, readRecord } from './postgres-records.js';

const refsPerCall = 500;

const none: Readonly<Record<TaskState, number>> = {
  scheduled: 0,
  waiting: 0,
  pending: 0,
  succeeded: 0,
  dead: 0,
  cancelled: 0,
  parked: 0,
};

/** Of a queue: what waits, how long it is paused, 0: for good, and how many that are scheduled are due. */
type GlanceRow = [
  counts: Partial<typeof none>,
  waitingMs: number | null,
  pausedMs: number | null,
  due: number,
];

type LockRow = [key: string, holder: string, phase: HeldLock['phase']];

export class PostgresCatalog implements CatalogStore {
  constructor(
    private readonly functions: PostgresFunctions,
    private readonly bell: PostgresBell,
    private readonly settings: BackendSettings,
  ) {}

  async get({ queue, id }: TaskRef): Promise<TaskRecord | undefined> {
    const row = await this.functions.call('get_v1', { queue, id });
    return row === undefined ? undefined : readRecord(queue, row as unknown[]);
  }

  async list(queue: string, state: TaskState, { limit, after, backwards }: PageRequest): Promise<TaskPage> {
    const place = after === undefined ? undefined : taskPlace(state, after);
    const asked = { queue, state, limit, bytes: pageBytes, place, backwards };
    const answer = await this.functions.call('list_v1', asked);
    const [rows, end] = answer as [unknown[][], string[] | null];
    const tasks = rows.map((row) => readRecord(queue, row));
    return end ? { tasks, next: cursorOf(end) } : { tasks };
  }

  async counts(queue: string): Promise<Record<TaskState, number>> {
    return { ...none, ...((await this.functions.call('counts_v1', { queue })) as Partial<typeof none>) };
  }

  async glance(queues: readonly string[]): Promise<QueueGlance[]> {
    const rows = (await this.functions.call('glance_v1', queues)) as GlanceRow[];
    return rows.map(([counts, waitingMs, pausedMs, due], at) => ({
      queue: queues[at]!,
      counts: { ...none, ...counts },
      depth: (counts.waiting ?? 0) + due,
      ...(waitingMs === null ? undefined : { oldestWaitingMs: Math.max(waitingMs, 0) }),
      ...(pausedMs === null ? undefined : { pausedForMs: pausedMs === 0 ? Infinity : pausedMs }),
    }));
  }

  async queues(): Promise<string[]> {
    return (await this.functions.call('queues_v1', {})) as string[];
  }

  async retry(refs: readonly SeenTask[]): Promise<Acted[]> {
    const answers = await this.act('retry', refs);
    this.bell.ringAll(done(refs, answers));
    return answers;
  }

  async cancel(refs: readonly SeenTask[]): Promise<(Acted | 'requested')[]> {
    const answers = await this.act<Acted | 'requested'>('cancel', refs);
    refs.forEach(({ queue, id }, at) => answers[at] === 'requested' && this.bell.ring(queue, id));
    return answers;
  }

  remove(refs: readonly SeenTask[]): Promise<Acted[]> {
    return this.act('remove', refs);
  }

  async runNow(refs: readonly SeenTask[]): Promise<Acted[]> {
    const answers = await this.act('runNow', refs);
    this.bell.ringAll(done(refs, answers));
    return answers;
  }

  async pause(queue: string, forMs = Infinity): Promise<void> {
    await this.pauseFor(queue, keepArgument(forMs));
  }

  async resume(queue: string): Promise<void> {
    await this.pauseFor(queue, 0);
  }

  async isPaused(queue: string): Promise<boolean> {
    return (await this.functions.call('is_paused_v1', { queue })) as boolean;
  }

  async lock({ queue, key, holder }: LockRef): Promise<HeldLock | undefined> {
    const row = await this.functions.call('lock_v1', { queue, key, holder });
    return row === undefined ? undefined : heldLock(queue, row as LockRow);
  }

  async locks(queue: string, { limit, after }: { limit: number; after?: string }): Promise<LockPage> {
    const rows = (await this.functions.call('locks_v1', { queue, limit, after })) as LockRow[];
    const locks = rows.slice(0, limit).map((row) => heldLock(queue, row));
    return rows.length > limit ? { locks, after: locks.at(-1)!.key } : { locks };
  }

  async releaseLock({ queue, key, holder }: LockRef): Promise<boolean> {
    return (await this.functions.call('release_lock_v1', { queue, key, holder })) as boolean;
  }

  private async pauseFor(queue: string, forMs: number | undefined): Promise<void> {
    await this.functions.call('pause_v1', { queue, for: forMs });
    // A runner that sleeps learns when the pause ends.
    this.bell.ring(queue);
    this.bell.ringForSchedules(queue);
  }

  /** In bounded pieces: a statement keeps all that it touches until it ends. */
  private async act<A = Acted>(act: string, refs: readonly SeenTask[]): Promise<A[]> {
    const cancelledKeep = keepArgument(this.settings.cancelledKeepMs);
    const answers: A[] = [];
    for (let from = 0; from < refs.length; from += refsPerCall) {
      const some = refs.slice(from, from + refsPerCall).map(({ queue, id, state }) => [queue, id, state]);
      answers.push(...((await this.functions.call('act_v1', { act, cancelledKeep, refs: some })) as A[]));
    }
    return answers;
  }
}

function done(refs: readonly TaskRef[], answers: readonly string[]): string[] {
  return refs.filter((_, at) => answers[at] === 'done').map(({ queue }) => queue);
}

function heldLock(queue: string, [key, holder, phase]: LockRow): HeldLock {
  return { queue, key, holder, phase };
}
