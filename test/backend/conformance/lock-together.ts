import { describe, expect, it } from '@jest/globals';
import type { Added } from '../../../lib/backend/backend.js';
import type { NewTask } from '../../../lib/task/task-record.js';
import { recounting } from './lock-recount.js';
import { type Bundle, lockOf, type Setup } from './setup.js';

const keyed = (key: string, more: Partial<NewTask['lock']> = {}) =>
  lockOf('until_completed', { key, ...more });

type Arrive = (bundle: Bundle, tasks: NewTask[]) => Promise<Added[]>;
type InLine = (tasks: readonly NewTask[]) => string[][];

const idsOf = (tasks: readonly NewTask[]) => tasks.map(({ id }) => id);

/**
 * As enqueues of one moment arrive, whose ids nobody chose: each by itself, or all as one group. A store may let those that
 * could have to wait for a lock come apart from the others, unless they are one group.
 */
const arrivals: [how: string, arrive: Arrive, inLine: InLine][] = [
  [
    'each by itself',
    async ({ backend }, tasks) => {
      const answers = await backend.tasks.add(tasks.map((task) => [task]));
      return answers.map((answer) => (answer as Added[])[0]!);
    },
    (tasks) => [idsOf(tasks.filter(({ lock }) => lock)), idsOf(tasks.filter(({ lock }) => !lock))],
  ],
  [
    'as one group',
    async ({ backend }, tasks) => (await backend.tasks.add([tasks]))[0] as Added[],
    (tasks) => [idsOf(tasks)],
  ],
];

export function describeLocksTogether(bare: Setup): void {
  const setup = recounting(bare);
  describe.each(arrivals)('unique tasks that come together, %s', (_how, arrive, inLine) => {
    it(
      'are all stored, hold a lock each, and stand in line as they came',
      setup(async (bundle) => {
        const { task, list, add } = bundle;
        // More than a store may take in one go.
        const tasks = Array.from({ length: 1_100 }, (_, n) =>
          task(n % 3 === 0 ? {} : { lock: keyed(`k${n}`) }),
        );
        const statuses = (await arrive(bundle, tasks)).map(({ status }) => status);
        expect(new Set(statuses)).toEqual(new Set(['enqueued']));
        for (const n of [1, 500, 1_099])
          expect(await add({ lock: keyed(`k${n}`) })).toEqual([{ status: 'rejected', holder: tasks[n]!.id }]);
        const waiting = await list('waiting', { limit: 2_000 });
        expect(waiting).toHaveLength(tasks.length);
        for (const ids of inLine(tasks)) expect(waiting.filter((id) => ids.includes(id))).toEqual(ids);
      }),
    );

    it(
      'are one of a key, the first',
      setup(async (bundle) => {
        const { task, claimIds } = bundle;
        const keys = ['a', 'b', 'a', undefined, 'b', 'c', 'a'];
        const tasks = keys.map((key) => task(key ? { lock: keyed(key) } : {}));
        const [a, b, , plain, , c] = idsOf(tasks);
        const rejected = (holder?: string) => ({ status: 'rejected', holder });
        const enqueued = { status: 'enqueued' };
        expect(await arrive(bundle, tasks)).toEqual([
          ...[enqueued, enqueued, rejected(a), enqueued, rejected(b), enqueued, rejected(a)],
        ]);
        const claimed = await claimIds();
        expect(claimed).toHaveLength(4);
        for (const ids of inLine(tasks.filter(({ id }) => [a, b, plain, c].includes(id))))
          expect(claimed.filter((id) => ids.includes(id))).toEqual(ids);
      }),
    );

    it(
      'of one key over many others are one, too',
      setup(async (bundle) => {
        const { task } = bundle;
        const tasks = Array.from({ length: 900 }, (_, n) => task({ lock: keyed(`k${n % 899}`) }));
        expect((await arrive(bundle, tasks)).at(-1)).toEqual({ status: 'rejected', holder: tasks[0]!.id });
      }),
    );

    it(
      'meet the locks of others each in its turn: held, let go, and past their time to live',
      setup(async (bundle) => {
        const { task, enqueue, advance, backend, queue, claimIds } = bundle;
        const past = await enqueue({ lock: keyed('past', { ttlMs: 5_000 }), priority: 1 });
        const held = await enqueue({ lock: keyed('held'), priority: 1 });
        const gone = await enqueue({ lock: keyed('gone') });
        await advance(5_000);
        await backend.catalog.remove([{ queue, id: gone }]);
        const tasks = ['new', 'held', 'past', 'gone', 'newer'].map((key) => task({ lock: keyed(key) }));
        const [first, , third, fourth, fifth] = idsOf(tasks);
        expect(await arrive(bundle, tasks)).toMatchObject([
          { status: 'enqueued' },
          { status: 'rejected', holder: held },
          { status: 'enqueued' },
          { status: 'enqueued' },
          { status: 'enqueued' },
        ]);
        expect(await claimIds()).toEqual([first, third, fourth, fifth, past, held]);
      }),
    );

    it(
      'may give the newest the place of one that came with it',
      setup(async (bundle) => {
        const { task, get, claimIds } = bundle;
        const lock = keyed('a', { onConflict: 'replace' });
        const tasks = ['1', '2', '3'].map((params) => task({ params, lock }));
        const { id } = tasks[0]!;
        const replaced = { status: 'replaced', holder: id };
        expect(await arrive(bundle, tasks)).toEqual([{ status: 'enqueued' }, replaced, replaced]);
        expect(await get(id)).toMatchObject({ params: '3' });
        expect(await claimIds()).toEqual([id]);
      }),
    );

    it(
      'are kept each as it was described',
      setup(async (bundle) => {
        const { task, get } = bundle;
        const given: Partial<NewTask>[] = [
          { retries: 1, lock: keyed('a') },
          { retries: 2, lock: keyed('b') },
          { retries: 1, lock: keyed('c', { ttlMs: 60_000 }) },
          { retries: 1, lock: lockOf('until_executing', { key: 'd' }) },
          { retries: 1, keepMs: 5, lock: keyed('e') },
        ];
        const tasks = given.map((one) => task(one));
        await arrive(bundle, tasks);
        for (const [at, { id }] of tasks.entries()) expect(await get(id)).toMatchObject(given[at]!);
      }),
    );

    it(
      'each meet a conflict as they say themselves',
      setup(async (bundle) => {
        const { task, enqueue, get } = bundle;
        const held = await enqueue({ params: 'old', lock: keyed('a'), priority: 1 });
        const tasks = [
          task({ lock: keyed('a') }),
          task({ lock: keyed('b', { ttlMs: 60_000 }) }),
          task({ params: 'new', lock: keyed('a', { onConflict: 'replace' }) }),
          task({ lock: lockOf('until_executing', { key: 'b' }) }),
          task({ lock: keyed('c'), priority: -5 }),
          task({ lock: keyed('c'), due: { inMs: 60_000 } }),
          task({ lock: keyed('d'), retries: 7 }),
        ];
        const rejected = (holder: string) => ({ status: 'rejected', holder });
        const enqueued = { status: 'enqueued' };
        expect(await arrive(bundle, tasks)).toEqual([
          rejected(held),
          enqueued,
          { status: 'replaced', holder: held },
          rejected(tasks[1]!.id),
          enqueued,
          rejected(tasks[4]!.id),
          enqueued,
        ]);
        expect(await get(held)).toMatchObject({ params: 'new', priority: 0 });
        expect(await get(tasks[6]!.id)).toMatchObject({ retries: 7, lock: keyed('d') });
      }),
    );

    it(
      'are all stored where only their runs are unique',
      setup(async (bundle) => {
        const { task, claim } = bundle;
        const tasks = Array.from({ length: 3 }, () => task({ lock: lockOf('while_executing') }));
        expect(await arrive(bundle, tasks)).toEqual(Array(3).fill({ status: 'enqueued' }));
        const { tasks: claimed } = await claim();
        expect(claimed.map(({ id, conflictsWith }) => [id, conflictsWith])).toEqual([
          [tasks[0]!.id, undefined],
          [tasks[1]!.id, tasks[0]!.id],
          [tasks[2]!.id, tasks[0]!.id],
        ]);
      }),
    );

    it(
      'are stored once where one comes twice',
      setup(async (bundle) => {
        const { task, claimIds } = bundle;
        const [plain, unique] = [task(), task({ lock: keyed('a') })];
        const answers = await arrive(bundle, [plain, unique, plain, unique]);
        expect(answers).toEqual(Array(4).fill({ status: 'enqueued' }));
        const ids = [plain.id, unique.id];
        expect((await claimIds()).sort()).toEqual(ids.sort());
      }),
    );
  });

  describe('a group of unique tasks with a conflict that raises', () => {
    it(
      'is not stored at all, also where the conflict is among themselves',
      setup(async (bundle) => {
        const { task, list, add, backend } = bundle;
        const raising = (key: string) => task({ lock: keyed(key, { onConflict: 'raise' }) });
        const tasks = [raising('a'), task(), raising('b'), raising('a'), raising('c')];
        const dropped = { status: 'dropped' };
        expect(await backend.tasks.add([tasks])).toEqual([
          [dropped, dropped, dropped, { status: 'raised', holder: tasks[0]!.id }, dropped],
        ]);
        expect(await list('waiting')).toEqual([]);
        expect(await add({ lock: keyed('a') })).toEqual([{ status: 'enqueued' }]);
      }),
    );

    it(
      'takes nothing from those that come beside it',
      setup(async (bundle) => {
        const { task, list, backend } = bundle;
        const raising = () => task({ lock: keyed('a', { onConflict: 'raise' }) });
        const [first, alone, ...two] = [raising(), raising(), raising(), raising()];
        const answers = await backend.tasks.add([[first!], [alone!], two]);
        expect(answers).toEqual([
          [{ status: 'enqueued' }],
          [{ status: 'raised', holder: first!.id }],
          [{ status: 'raised', holder: first!.id }, { status: 'dropped' }],
        ]);
        expect(await list('waiting')).toEqual([first!.id]);
      }),
    );
  });
}
