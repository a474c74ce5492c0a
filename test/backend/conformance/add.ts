import { describe, expect, it } from '@jest/globals';
import type { TaskLock } from '../../../lib/task/task-record.js';
import type { Setup } from './setup.js';

export function describeAdd(setup: Setup): void {
  describe('add', () => {
    it(
      'stores a task as it was given, waiting and due now',
      setup(async ({ queue, add, get, now, about }) => {
        const lock: TaskLock = { key: 'k', phase: 'until_completed', onConflict: 'reject' };
        const given = {
          ...{ id: 'a', job: 'SendWelcome', params: '{"to":"x"}', extra: '{"timeoutMs":5}', priority: -7 },
          ...{ retries: 9, keepMs: 70_000, lock, scheduleId: 'daily', slot: 1_000 },
        };
        expect(await add(given)).toEqual([{ status: 'enqueued' }]);
        const at = about(await now());
        expect(await get('a')).toMatchObject({
          ...{ ...given, queue, state: 'waiting', enqueuedAt: at, dueAt: at },
          ...{ attempt: 0, failures: 0, errors: [] },
        });
      }),
    );

    it.each([
      '{ "b": 1,\t"a": [2.50, 1e3] }',
      JSON.stringify({ text: 'é 😀 \u0000 \n " \\ \u2028' }),
      'no JSON at all {',
      '',
    ])('keeps the bytes of params and extra: %j', (text) =>
      setup(async ({ enqueue, claimOne, get }) => {
        const id = await enqueue({ params: text, extra: text });
        expect(await get(id)).toMatchObject({ params: text, extra: text });
        expect(await claimOne()).toMatchObject({ params: text, extra: text });
      })(),
    );

    it.each(['__proto__', 'constructor', 'a:b', '{a}', "it's", ' ', 'é😀', '-1', 'x'.repeat(500)])(
      'takes any text as an id: %j',
      (id) =>
        setup(async ({ add, claim, settle, get }) => {
          expect(await add({ id, job: id }, { id, job: id })).toEqual([
            { status: 'enqueued' },
            { status: 'existing' },
          ]);
          const { tasks } = await claim();
          expect(tasks).toMatchObject([{ id, job: id }]);
          expect(await settle(tasks[0]!, { type: 'succeeded', keepMs: 60_000 })).toBe('settled');
          expect(await get(id)).toMatchObject({ id, state: 'succeeded' });
        })(),
    );

    it(
      'schedules a task that is due later, by delay and by point in time',
      setup(async ({ add, get, counts, now, about }) => {
        const at = await now();
        await add({ id: 'delay', due: { inMs: 60_000 } }, { id: 'point', due: { at: at + 90_000 } });
        expect(await get('delay')).toMatchObject({ state: 'scheduled', dueAt: about(at + 60_000) });
        expect(await get('point')).toMatchObject({ state: 'scheduled', dueAt: at + 90_000 });
        expect(await counts()).toEqual({ scheduled: 2 });
      }),
    );

    it(
      'lets a task wait at once whose due time is past, and keeps that time',
      setup(async ({ add, get, counts, now, about }) => {
        const at = await now();
        await add({ id: 'delay', due: { inMs: -60_000 } }, { id: 'point', due: { at: at - 90_000 } });
        expect(await get('delay')).toMatchObject({ state: 'waiting', dueAt: about(at - 60_000) });
        expect(await get('point')).toMatchObject({ state: 'waiting', dueAt: at - 90_000 });
        expect(await counts()).toEqual({ waiting: 2 });
      }),
    );

    it(
      'counts the end of the first attempt from the due time, or takes it as a point in time',
      setup(async ({ add, get, now, about }) => {
        const at = await now();
        await add({ id: 'from-due', due: { inMs: 60_000 }, expires: { inMs: 5_000 } });
        await add({ id: 'point', due: { inMs: 60_000 }, expires: { at: at + 61_000 } });
        expect(await get('from-due')).toMatchObject({ expiresAt: about(at + 65_000) });
        expect(await get('point')).toMatchObject({ expiresAt: at + 61_000 });
      }),
    );

    it(
      'answers per group and per task, in order',
      setup(async ({ backend, task }) => {
        const first = [task({ id: 'a' }), task({ id: 'a' }), task({ id: 'b' })];
        const second = [task({ id: 'b' }), task({ id: 'c' })];
        expect(await backend.tasks.add([first, [], second])).toEqual([
          [{ status: 'enqueued' }, { status: 'existing' }, { status: 'enqueued' }],
          [],
          [{ status: 'existing' }, { status: 'enqueued' }],
        ]);
        expect(await backend.tasks.add([])).toEqual([]);
      }),
    );

    it(
      'stores the tasks of one group in several queues',
      setup(async ({ queueNamed, add, counts }) => {
        await add({ queue: queueNamed('x') }, { queue: queueNamed('y') }, { queue: queueNamed('x') });
        expect(await counts(queueNamed('x'))).toEqual({ waiting: 2 });
        expect(await counts(queueNamed('y'))).toEqual({ waiting: 1 });
      }),
    );

    it(
      'stores nothing of a group with a raised conflict, and all of the groups beside it',
      setup(async ({ backend, task, enqueue, get, list }) => {
        const raise = (key: string): TaskLock => ({ key, phase: 'until_completed', onConflict: 'raise' });
        await enqueue({ id: 'holder', lock: raise('k') });
        await enqueue({ id: 'old', params: '"old"' });
        const doomed = [
          task({ id: 'before', lock: raise('other') }),
          task({ id: 'old', params: '"new"', replace: true }),
          task({ id: 'in-conflict', lock: raise('k') }),
          task({ id: 'after' }),
        ];
        expect(
          await backend.tasks.add([[task({ id: 'x' })], doomed, [task({ id: 'y', lock: raise('other') })]]),
        ).toEqual([
          [{ status: 'enqueued' }],
          [
            { status: 'dropped' },
            { status: 'dropped' },
            { status: 'raised', holder: 'holder' },
            { status: 'dropped' },
          ],
          [{ status: 'enqueued' }],
        ]);
        expect(await list('waiting')).toEqual(['holder', 'old', 'x', 'y']);
        expect(await get('old')).toMatchObject({ params: '"old"' });
      }),
    );

    it(
      'takes 50,000 tasks in one group',
      setup(async ({ add, counts }) => {
        const added = await add(...Array.from({ length: 50_000 }, (_, index) => ({ id: `task-${index}` })));
        expect(added).toHaveLength(50_000);
        expect(added.every(({ status }) => status === 'enqueued')).toBe(true);
        expect(await counts()).toEqual({ waiting: 50_000 });
      }),
      60_000,
    );

    it(
      'stores one task when the same id is added many times at once',
      setup(async ({ add, counts }) => {
        const added = await Promise.all(Array.from({ length: 10 }, () => add({ id: 'a' })));
        const statuses = added.map(([first]) => first!.status).sort();
        expect(statuses).toEqual(['enqueued', ...Array(9).fill('existing')]);
        expect(await counts()).toEqual({ waiting: 1 });
      }),
    );
  });
}
