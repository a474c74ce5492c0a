import { describe, expect, it } from '@jest/globals';
import type { ClaimRequest } from '../../../lib/backend/backend.js';
import type { Bundle, Setup } from './setup.js';

export function describeClaimBetweenQueues(setup: Setup): void {
  describe('claim from several queues', () => {
    it(
      'shares the limit evenly, each queue in its own order',
      setup(async (bundle) => {
        const take = await filled(bundle, { x: 10, y: 10, z: 10 });
        expect(await take({ limit: 6 })).toEqual({ x: ['x0', 'x1'], y: ['y0', 'y1'], z: ['z0', 'z1'] });
      }),
    );

    it(
      'gives what a short queue leaves over to the others',
      setup(async (bundle) => {
        const take = await filled(bundle, { x: 1, y: 10, z: 0 });
        expect(await take({ limit: 6 })).toEqual({ x: ['x0'], y: ['y0', 'y1', 'y2', 'y3', 'y4'], z: [] });
      }),
    );

    it(
      "takes no more from a queue than its own limit, nor more in all than the request's",
      setup(async (bundle) => {
        const take = await filled(bundle, { x: 10, y: 10, z: 10 }, { x: 1, y: 2, z: 0 });
        expect(await take({ limit: 9 })).toEqual({ x: ['x0'], y: ['y0', 'y1'], z: [] });
        const { x, y } = await take({ limit: 2 });
        expect([...x!, ...y!]).toHaveLength(2);
        expect(await take({ limit: 0 })).toEqual({ x: [], y: [], z: [] });
      }),
    );

    it(
      'begins with another queue each time, so that a limit of one starves none',
      setup(async (bundle) => {
        const take = await filled(bundle, { x: 10, y: 10, z: 10 });
        const taken: string[] = [];
        for (let round = 0; round < 6; round++) taken.push(...Object.values(await take({ limit: 1 })).flat());
        expect(taken.sort()).toEqual(['x0', 'x1', 'y0', 'y1', 'z0', 'z1']);
      }),
    );

    it(
      'lets no priority of one queue pass over another queue',
      setup(async ({ queueNamed, add, claim }) => {
        const [x, y] = [queueNamed('x'), queueNamed('y')];
        await add(
          { queue: x, priority: -1_000 },
          { queue: x, priority: -1_000 },
          { queue: y, priority: 1_000 },
        );
        const { tasks } = await claim({ queues: [x, y].map((queue) => ({ queue, limit: 9 })), limit: 2 });
        expect(tasks.map(({ queue }) => queue).sort()).toEqual([x, y]);
      }),
    );

    it(
      'says per queue when to look again, in the order asked',
      setup(async ({ queueNamed, add, claim, about }) => {
        const [busy, later, empty] = [queueNamed('busy'), queueNamed('later'), queueNamed('empty')];
        await add({ queue: busy }, { queue: busy }, { queue: later, due: { inMs: 60_000 } });
        const asked = (...queues: string[]) =>
          claim({ queues: queues.map((queue) => ({ queue, limit: 1 })), limit: 0 });
        expect((await asked(busy, later, empty)).nextInMs).toEqual([0, about(60_000), Infinity]);
        expect((await asked(empty, busy, later)).nextInMs).toEqual([Infinity, 0, about(60_000)]);
      }),
    );
  });
}

/** Queues with that many tasks each, and a claim from all of them that answers ids by queue. */
async function filled(
  { queueNamed, add, claim }: Bundle,
  sizes: Record<string, number>,
  limits: Record<string, number> = {},
): Promise<(request: Pick<ClaimRequest, 'limit'>) => Promise<Record<string, string[]>>> {
  const names = Object.keys(sizes);
  for (const name of names)
    await add(
      ...Array.from({ length: sizes[name]! }, (_, index) => ({ queue: queueNamed(name), id: name + index })),
    );
  const queues = names.map((name) => ({ queue: queueNamed(name), limit: limits[name] ?? 100 }));
  return async ({ limit }) => {
    const { tasks } = await claim({ queues, limit });
    const idsIn = (name: string) =>
      tasks.filter(({ queue }) => queue === queueNamed(name)).map(({ id }) => id);
    return Object.fromEntries(names.map((name) => [name, idsIn(name)]));
  };
}
