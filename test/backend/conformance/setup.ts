import { randomUUID } from 'node:crypto';
import type {
  Added,
  Backend,
  BackendSettings,
  Claim,
  ClaimedTask,
  ClaimRequest,
} from '../../../lib/backend/backend.js';
import type { PageRequest } from '../../../lib/backend/catalog-store.js';
import type { Lease, Outcome, Settled } from '../../../lib/task/outcome.js';
import type { LockPhase, NewTask, TaskLock, TaskRecord, TaskState } from '../../../lib/task/task-record.js';

/** A store of one test, already open. It may be shared with other tests: each uses queues of its own. */
export interface TestStore {
  readonly backend: Backend;
  /** How far the store's clock may run on by itself during a test; 0 where it stands still. */
  readonly driftMs?: number;
  /** Moves the store's clock. */
  advance(ms: number): Promise<void>;
  /** All that the store keeps of the locks of a queue, valid or not: keys and ids of holders. */
  lockEntries(queue: string): Promise<[key: string, holder: string][]>;
  /** The ids of which the store keeps progress or lines, each once, whether there is such a task or not. */
  noteEntries(queue: string): Promise<string[]>;
  close(): Promise<void>;
}

export type OpenStore = (settings: BackendSettings) => Promise<TestStore>;

/** Wraps the body of a test: `it('…', setup(async ({ … }) => { … }))`; `anew` gives a bundle of other queues in the same store. */
export type Setup = (test: (bundle: Bundle, anew: () => Bundle) => Promise<void>) => () => Promise<void>;

export type Bundle = ReturnType<typeof bundleOf>;

export const settings: BackendSettings = {
  prefix: 'jobs',
  deadKeepMs: 3_600_000,
  cancelledKeepMs: 1_800_000,
  // Long, so that a busy machine does not make it a test of patience.
  enqueueTimeoutMs: 30_000,
};
export const leaseMs = 30_000;
export const boom = { name: 'Error', message: 'boom' };
export const retryAtOnce: Outcome = { type: 'retry', error: boom, delayMs: 0 };
export const success: Outcome = { type: 'succeeded', keepMs: 0 };
export const finalStates = ['succeeded', 'dead', 'cancelled'] as const;

/** An outcome after which a task is in that state. */
export function endingIn(state: 'succeeded' | 'dead' | 'cancelled' | 'parked', keepMs: number): Outcome {
  const outcomes: Record<typeof state, Outcome> = {
    succeeded: { type: 'succeeded', keepMs },
    dead: { type: 'dead', error: boom, keepMs },
    cancelled: { type: 'cancelled', reason: 'tested', keepMs },
    parked: { type: 'parked', reason: 'unreadable' },
  };
  return outcomes[state];
}

export function lockOf(phase: LockPhase, fields: Partial<TaskLock> = {}): TaskLock {
  return { key: 'k', phase, onConflict: 'reject', ...fields };
}

export function leaseOf({ queue, id, epoch, receipt }: Lease): Lease {
  return { queue, id, epoch, receipt };
}

/** A store is opened for each test, and closed after it whatever happened. */
export function setupWith(open: OpenStore): Setup {
  return (test) => async () => {
    const store = await open(settings);
    try {
      await test(bundleOf(store), () => bundleOf(store));
    } finally {
      await store.close();
    }
  };
}

function bundleOf(store: TestStore) {
  const { backend, driftMs = 0 } = store;
  // The hash tag keeps the queues of one test in one slot of a Redis Cluster.
  const tag = randomUUID();
  const queues = new Set<string>();
  const queueNamed = (name: string) => {
    const named = `{${tag}}.${name}`;
    queues.add(named);
    return named;
  };
  const queue = queueNamed('main');

  const task = (fields: Partial<NewTask> = {}): NewTask => {
    const id = fields.id ?? randomUUID();
    const token = fields.id === undefined ? id : randomUUID();
    const defaults = { job: 'Job', params: '{}', priority: 0, due: { inMs: 0 }, retries: 3 };
    return { queue, token, ...defaults, ...fields, id };
  };
  /** Adds tasks as one group. */
  const add = async (...tasks: Partial<NewTask>[]): Promise<Added[]> => {
    const [added] = await backend.tasks.add([tasks.map(task)]);
    if (added instanceof Error) throw added;
    return added!;
  };
  /** Adds one task that must be stored, and gives its id. */
  const enqueue = async (fields: Partial<NewTask> = {}): Promise<string> => {
    const built = task(fields);
    const [added] = await add(built);
    if (added?.status !== 'enqueued') throw new Error(`${built.id} was ${added?.status}, not enqueued`);
    return built.id;
  };

  const claim = (request: Partial<ClaimRequest> = {}): Promise<Claim> =>
    backend.tasks.claim({
      queues: [{ queue, limit: 1_000 }],
      limit: 1_000,
      leaseMs,
      runner: 'runner-1',
      ...request,
    });
  const claimIds = async (request: Partial<ClaimRequest> = {}) =>
    (await claim(request)).tasks.map(({ id }) => id);
  const claimOne = async (request: Partial<ClaimRequest> = {}): Promise<ClaimedTask> => {
    const [claimed] = (await claim({ limit: 1, ...request })).tasks;
    if (!claimed) throw new Error('nothing could be claimed');
    return claimed;
  };
  /** Adds a task and claims it; it must be the best one. */
  const start = async (fields: Partial<NewTask> = {}): Promise<ClaimedTask> => {
    const id = await enqueue(fields);
    const claimed = await claimOne({ queues: [{ queue: fields.queue ?? queue, limit: 1 }] });
    if (claimed.id !== id) throw new Error(`${claimed.id} was claimed instead of ${id}`);
    return claimed;
  };

  /** One that another has in hand at this moment is offered again, as a runner does. */
  const settle = async (lease: Lease, outcome: Outcome, repeat?: boolean): Promise<Settled> => {
    const [settled] = await backend.tasks.settle([{ ...leaseOf(lease), outcome, repeat }]);
    return settled === 'held' ? settle(lease, outcome, repeat) : settled!;
  };
  const renew = (lease: Lease, forMs = leaseMs) => backend.tasks.renew([leaseOf(lease)], forMs);

  // A copy, so that comparing an earlier read with a later one means something on a store that shares its objects.
  const get = async (id: string, inQueue = queue): Promise<TaskRecord | undefined> =>
    structuredClone(await backend.catalog.get({ queue: inQueue, id }));
  /** The states that hold tasks. */
  const counts = async (inQueue = queue) =>
    Object.fromEntries(
      Object.entries(await backend.catalog.counts(inQueue)).filter(([, count]) => count !== 0),
    );
  const list = async (state: TaskState, page: PageRequest = { limit: 1_000 }) =>
    (await backend.catalog.list(queue, state, page)).tasks.map(({ id }) => id);

  /** Brings a new task of this id into a state; it must be the only one that can be claimed. */
  const bringTo = async (state: TaskState, fields: Partial<NewTask> = {}): Promise<string> => {
    if (state === 'scheduled') return enqueue({ ...fields, due: { inMs: 60_000 } });
    if (state === 'waiting') return enqueue(fields);
    const claimed = await start(fields);
    if (state === 'pending') return claimed.id;
    await settle(claimed, endingIn(state, 60_000));
    return claimed.id;
  };

  const now = () => backend.schedules.now(queue);
  const about = (expected: number) => new About(expected, driftMs);
  /** Moves the clock to just before `ms` have passed, and gives what is missing. */
  const advanceToJustBefore = async (ms: number): Promise<number> => {
    const missing = 1 + driftMs;
    await store.advance(ms - missing);
    return missing;
  };

  return {
    backend,
    advance: (ms: number) => store.advance(ms),
    lockEntries: (inQueue: string) => store.lockEntries(inQueue),
    noteEntries: (inQueue: string) => store.noteEntries(inQueue),
    /** Every queue that the test has named. */
    queues: queues as ReadonlySet<string>,
    ...{ queue, queueNamed, task, add, enqueue, claim, claimIds, claimOne, start, settle, renew },
    ...{ get, counts, list, bringTo, now, about, advanceToJustBefore },
  };
}

/** Matches a time, give or take what the store's clock may run on by itself. */
export class About {
  readonly $$typeof = Symbol.for('jest.asymmetricMatcher');

  constructor(
    private readonly expected: number,
    private readonly driftMs: number,
  ) {}

  asymmetricMatch(actual: unknown): boolean {
    if (typeof actual !== 'number') return false;
    return actual === this.expected || Math.abs(actual - this.expected) <= this.driftMs;
  }

  toAsymmetricMatcher(): string {
    return this.driftMs ? `${this.expected} ± ${this.driftMs}` : `${this.expected}`;
  }

  toString(): string {
    return 'About';
  }
}
