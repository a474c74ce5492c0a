import { beforeEach, expect, it } from '@jest/globals';
import { Job, type TaskInfo } from 'nestjs-jobs';
import type { TestApp } from '../support/app.js';
import { describeCatalog, idsOf } from './fixtures/catalog-stage.js';
import { watched } from './fixtures/watched-catalog.js';

// Several times what one call of the catalog looks at.
const count = 40_000;
const perQueue = count / 4;
const queues = ['q0', 'q1', 'q2', 'q3'];

@Job({ name: 'Noted' })
class Noted {
  run(_n: number): void {}
}

describeCatalog(
  `The catalog with ${count} tasks`,
  (start) => {
    let app: TestApp;
    let during: ReturnType<typeof watched>['during'];

    beforeEach(async () => {
      app = await start({ providers: [Noted], options: { enqueueTimeout: '1m' } });
      for (const queue of queues)
        await app.jobs.bulk((bulk) => {
          for (let n = 0; n < perQueue; n++)
            bulk.enqueue(Noted, n, { queue, id: `${queue} ${n}`, at: n + 1 });
        });
      ({ during } = watched(app.catalog));
    }, 120_000);

    it('reads no more than a page for a page, wherever it is', async () => {
      const filter = { queue: 'q1', state: 'waiting' } as const;
      const first = await during(() => app.catalog.tasks(filter, { limit: 100 }));
      expect(first).toMatchObject({ calls: 1, rows: 100 });
      let after = first.answer.next;
      for (let n = 0; n < 8; n++) after = (await app.catalog.tasks(filter, { limit: 1_000, after })).next;
      const deep = await during(() => app.catalog.tasks(filter, { limit: 100, after }));
      expect(deep).toMatchObject({ calls: 1, rows: 100 });
      expect(deep.answer.tasks[0]!.id).toBe('q1 8100');
      const last = await during(() => app.catalog.tasks(filter, { limit: 100, backwards: true }));
      expect(last).toMatchObject({ calls: 1, rows: 100 });
      expect(last.answer.tasks[0]!.id).toBe(`q1 ${perQueue - 1}`);
    });

    it('reads little more for a page over all queues and states', async () => {
      let [after, isFirst] = [undefined as string | undefined, true];
      const seen: TaskInfo[] = [];
      for (; isFirst || seen.length < 1_000; isFirst = false) {
        const { answer, rows, calls } = await during(() => app.catalog.tasks({}, { limit: 100, after }));
        expect(rows).toBeLessThanOrEqual(500);
        expect(calls).toBeLessThanOrEqual(20);
        expect(answer.complete).toBe(true);
        seen.push(...answer.tasks);
        after = answer.next;
      }
      expect(new Set(idsOf(seen)).size).toBe(1_000);
      // Merged by due time: none of a later moment before one of an earlier.
      const due = seen.map(({ dueAt }) => dueAt.getTime());
      expect(due).toEqual(due.toSorted((one, other) => one - other));
    });

    it('counts without reading', async () => {
      expect(await during(() => app.catalog.count())).toMatchObject({
        answer: { count, complete: true },
        rows: 0,
      });
      const { rows } = await during(() => app.catalog.queues());
      expect(rows).toBe(0);
    });

    it('finds an id at once', async () => {
      const { answer, rows } = await during(() => app.catalog.tasks({ text: 'q3 7000' }, { limit: 1 }));
      expect([idsOf(answer.tasks), rows]).toEqual([['q3 7000'], 0]);
    });

    it('searches in bounded pieces, and finds everything by and by', async () => {
      const found: string[] = [];
      let calls = 0;
      for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
        const { answer, rows, most } = await during(() =>
          app.catalog.tasks({ text: ' 9999', job: 'Noted' }, { limit: 50, after }),
        );
        expect(rows).toBeLessThanOrEqual(10_000 + 4 * 200);
        expect(most).toBeLessThanOrEqual(200);
        if (answer.next !== undefined) expect(answer.complete).toBe(false);
        found.push(...idsOf(answer.tasks));
        after = answer.next;
        calls++;
      }
      expect(found.toSorted()).toEqual(queues.map((queue) => `${queue} 9999`));
      expect(calls).toBeGreaterThanOrEqual(count / 10_800);
    }, 60_000);

    it('counts what it has to search for in pieces as short as is asked for', async () => {
      const filter = { text: ' 9', queue: queues.slice(0, 2) };
      let [sum, pieces, after] = [0, 0, undefined as string | undefined];
      do {
        const { answer } = await during(() => app.catalog.count(filter, { within: 1, after }));
        expect(answer.complete).toBe(answer.next === undefined);
        sum += answer.count;
        pieces++;
        after = answer.next;
      } while (after !== undefined);
      expect(sum).toBe(2 * 1_111);
      expect(pieces).toBeGreaterThan(1);
    }, 60_000);

    it('acts on all in bounded pieces', async () => {
      let done = 0;
      for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
        const { answer, rows } = await during(() =>
          app.catalog.cancel({ state: 'waiting', queue: queues.slice(1) }, { after }),
        );
        expect(answer.done).toBeLessThanOrEqual(10_000);
        expect(rows).toBeLessThanOrEqual(25_000);
        done += answer.done;
        after = answer.next;
      }
      expect(done).toBe(3 * perQueue);
      expect(await app.catalog.counts()).toMatchObject({ waiting: perQueue, cancelled: 3 * perQueue });
    }, 60_000);
  },
  ['memory', 'redis'],
);
