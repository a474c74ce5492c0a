import { describe, expect, it } from '@jest/globals';
import { allLocks, recounting } from './lock-recount.js';
import { lockOf, type Setup } from './setup.js';

export function describeLockList(bare: Setup): void {
  const setup = recounting(bare);
  const lock = (key: number | string) => lockOf('until_completed', { key: `key ${key}` });

  describe('the locks of a queue', () => {
    it(
      'are shown with their holders and phases, those of other queues and free ones are not',
      setup(async ({ backend, queue, queueNamed, enqueue, start }) => {
        await start({ id: 'runs', lock: lockOf('while_executing', { key: 'w' }) });
        await enqueue({ id: 'waits', lock: lockOf('until_executing', { key: 'e' }) });
        await enqueue({ id: 'does not run', lock: lockOf('while_executing', { key: 'x' }) });
        await enqueue({ id: 'elsewhere', lock: lock(1), queue: queueNamed('other') });
        await enqueue();
        const locks = await allLocks(backend, queue);
        expect(locks).toHaveLength(2);
        expect(locks).toEqual(
          expect.arrayContaining([
            { queue, key: 'w', holder: 'runs', phase: 'while_executing' },
            { queue, key: 'e', holder: 'waits', phase: 'until_executing' },
          ]),
        );
      }),
    );

    it(
      'are asked for by key, and by holder where one is meant',
      setup(async ({ backend, queue, enqueue }) => {
        await enqueue({ id: 'a', lock: lock(1) });
        const { catalog } = backend;
        const shown = { queue, key: 'key 1', holder: 'a', phase: 'until_completed' };
        expect(await catalog.lock({ queue, key: 'key 1' })).toEqual(shown);
        expect(await catalog.lock({ queue, key: 'key 1', holder: 'a' })).toEqual(shown);
        expect(await catalog.lock({ queue, key: 'key 1', holder: 'b' })).toBeUndefined();
        expect(await catalog.lock({ queue, key: 'key 2' })).toBeUndefined();
      }),
    );

    it(
      'do not show one that has ended by its time to live',
      setup(async ({ backend, queue, enqueue, advance }) => {
        await enqueue({ id: 'short', lock: { ...lock(1), ttlMs: 5_000 } });
        await enqueue({ id: 'long', lock: { ...lock(2), ttlMs: 500_000 } });
        await advance(10_000);
        expect(await allLocks(backend, queue)).toMatchObject([{ holder: 'long' }]);
      }),
    );

    it.each([
      [40, 7],
      [40, 40],
      [900, 100],
      [900, 2_000],
    ])('are all shown, %d of them in pages of %d', (count, limit) =>
      setup(async ({ backend, queue, add }) => {
        await add(...Array.from({ length: count }, (_, n) => ({ id: `task ${n}`, lock: lock(n) })));
        const shown = await allLocks(backend, queue, limit);
        expect(new Set(shown.map(({ key, holder }) => `${key} of ${holder}`))).toEqual(
          new Set(Array.from({ length: count }, (_, n) => `key ${n} of task ${n}`)),
        );
      })(),
    );

    it(
      'show what is held all the while, whatever comes and goes between two pages',
      setup(async ({ backend, queue, add }) => {
        const some = (from: number, count: number) =>
          Array.from({ length: count }, (_, n) => ({ id: `task ${from + n}`, lock: lock(from + n) }));
        await add(...some(0, 300));
        const shown = new Set<string>();
        let after: string | undefined;
        for (let from = 1_000; ; from += 100) {
          const page = await backend.catalog.locks(queue, { limit: 50, after });
          for (const { holder } of page.locks) shown.add(holder);
          after = page.after;
          if (after === undefined) break;
          await add(...some(from, 100));
          // Fewer and more again: a store may part its table anew.
          await backend.catalog.remove(some(from, from % 300 ? 90 : 10).map(({ id }) => ({ queue, id })));
        }
        for (const { id } of some(0, 300)) expect(shown).toContain(id);
      }),
    );
  });
}
