import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { eventually } from '../support/app.js';
import { DoneLine } from '../../lib/backend/postgres/done-line.js';
import type { Settled, Settlement } from '../../lib/task/outcome.js';

interface Asked {
  readonly ids: string[];
  answer(settled: Settled[]): void;
  fail(error: Error): void;
}

function setup() {
  const asked: Asked[] = [];
  const line = new DoneLine(
    (done) =>
      new Promise((answer, fail) => {
        asked.push({ ids: done.map(({ id }) => id), answer, fail });
      }),
  );
  const add = (...ids: string[]) =>
    line.add(ids.map((id) => ({ queue: 'q', id, epoch: 1, outcome: done }) satisfies Settlement));
  return { asked, add };
}

const done = { type: 'succeeded', keepMs: 0 } as const;

it('sends together what came while others were on their way, and gives each caller its own answers', async () => {
  const { asked, add } = setup();
  const [first, second, third] = [add('a'), add('b', 'c'), add('d')];
  expect(asked.map(({ ids }) => ids)).toEqual([['a']]);
  asked[0]!.answer(['settled']);
  expect(await first).toEqual(['settled']);
  expect(asked.map(({ ids }) => ids)).toEqual([['a'], ['b', 'c', 'd']]);
  asked[1]!.answer(['settled', 'lost', 'settled']);
  expect([await second, await third]).toEqual([['settled', 'lost'], ['settled']]);
});

it('sends at once when nothing is on its way, also after a pause', async () => {
  const { asked, add } = setup();
  const first = add('a');
  asked[0]!.answer(['settled']);
  await first;
  await turn();
  void add('b');
  expect(asked.map(({ ids }) => ids)).toEqual([['a'], ['b']]);
});

it('keeps nobody waiting for a commit that gets no answer, and hears it when it comes', async () => {
  const { asked, add } = setup();
  const [first, second] = [add('a'), add('b')];
  await eventually(() => asked.length === 2, 2_000);
  asked[1]!.answer(['lost']);
  expect(await second).toEqual(['lost']);
  const third = add('c');
  expect(asked.map(({ ids }) => ids)).toEqual([['a'], ['b'], ['c']]);
  const fourth = add('d');
  asked[0]!.answer(['settled']);
  expect(await first).toEqual(['settled']);
  // The third is still under way: that of the first was not waited for any more.
  expect(asked).toHaveLength(3);
  asked[2]!.answer(['settled']);
  expect(await third).toEqual(['settled']);
  asked[3]!.answer(['settled']);
  expect(await fourth).toEqual(['settled']);
});

it('tells of a failure all whom it concerns, and nobody else', async () => {
  const { asked, add } = setup();
  const calls = Promise.allSettled([add('a'), add('b'), add('c')]);
  asked[0]!.answer(['settled']);
  await turn();
  asked[1]!.fail(new Error('no connection'));
  expect((await calls).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  const later = add('d');
  asked[2]!.answer(['settled']);
  expect(await later).toEqual(['settled']);
});
