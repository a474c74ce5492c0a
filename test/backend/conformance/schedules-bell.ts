import { describe, expect, it } from '@jest/globals';
import { hour, minute, type ScheduleBundle, withSchedules } from './schedule-setup.js';
import type { Setup } from './setup.js';

/**
 * Notes who was rung while `act` went on: s for schedules, t for tasks. A ring behind it says that all have been heard.
 */
async function rings({ backend, queue, queueNamed, put }: ScheduleBundle, act: () => Promise<unknown>) {
  const heard: string[] = [];
  const [end, queues] = [queueNamed('end'), [queue, queueNamed('end')]];
  const hear = (kind: string) => (rung: string) => void heard.push(rung === end ? `${kind} end` : kind);
  const stops = [
    await backend.bell.listen(queues, hear('t')),
    await backend.bell.listenToSchedules(queues, hear('s')),
  ];
  await act();
  await put('end', 'now', { queue: end });
  backend.bell.ring(end);
  while (!heard.includes('t end') || !heard.includes('s end'))
    await new Promise((resolve) => setTimeout(resolve, 5));
  for (const stop of stops) stop();
  return heard.filter((ring) => !ring.endsWith('end')).sort();
}

export function describeSchedulesBell(setup: Setup): void {
  describe('the bell for schedules', () => {
    const cases: [
      what: string,
      rung: string[],
      (bundle: ScheduleBundle, slot: number) => Promise<unknown>,
    ][] = [
      ['one is stored', ['s'], ({ put }, slot) => put('new', slot)],
      ['one is replaced', ['s'], ({ put }, slot) => put('a', slot + 1, { rule: 'another' })],
      [
        'a paused one goes on',
        ['s'],
        ({ schedules, ref }, slot) => schedules.resume(ref('paused'), slot, slot),
      ],
      [
        'one that was deferred is put as unchanged',
        ['s'],
        async ({ schedules, schedule, queue }, slot) => {
          await schedules.defer([{ queue, id: 'a', nextSlot: slot }], hour);
          await schedules.put(schedule('a', slot), 'replace');
        },
      ],
      ['their queue goes on', ['s', 't'], ({ backend, queue }) => backend.catalog.resume(queue)],
      [
        'a pause of their queue gets an end',
        ['s', 't'],
        ({ backend, queue }) => backend.catalog.pause(queue, 5),
      ],
    ];
    it.each(cases)('rings when %s', (_what, rung, act) =>
      withSchedules(setup, async (bundle) => {
        const { schedules, put, ref, now } = bundle;
        const slot = await now();
        await put('a', slot);
        await put('paused', slot);
        await schedules.pause(ref('paused'));
        expect(await rings(bundle, () => act(bundle, slot))).toEqual(rung);
      })(),
    );

    it(
      'is silent where no slot comes nearer',
      withSchedules(setup, async (bundle) => {
        const { schedules, schedule, put, ref, queue, step, advanceOne, due, now } = bundle;
        const slot = await now();
        for (const id of ['a', 'b', 'c']) await put(id, slot, { isDeclared: true });
        const heard = await rings(bundle, async () => {
          await schedules.put(schedule('a', slot), 'absent');
          await schedules.put(schedule('a', slot, { isDeclared: true }), 'replace');
          await schedules.declare([ref('a')]);
          await due();
          await schedules.defer([{ queue, id: 'a', nextSlot: slot }], minute);
          await advanceOne(step('b', slot, { task: undefined }));
          await schedules.pause(ref('b'));
          await schedules.put(schedule('b', slot, { isDeclared: true }), 'replace');
          await schedules.resume(ref('c'), slot, slot);
          await schedules.remove(ref('c'));
        });
        expect(heard).toEqual([]);
      }),
    );

    it(
      'leaves it to the one for tasks to tell of what a slot has made',
      withSchedules(setup, async (bundle) => {
        const { put, step, advanceOne, now } = bundle;
        const slot = await now();
        await put('a', slot);
        expect(await rings(bundle, () => advanceOne(step('a', slot)))).toEqual(['t']);
      }),
    );

    it(
      'is not heard in other queues, and not after the listener has stopped; another goes on',
      withSchedules(setup, async ({ backend, queueNamed, put }) => {
        const [x, y] = [queueNamed('x'), queueNamed('y')];
        const heard: string[] = [];
        const listen = (name: string) =>
          backend.bell.listenToSchedules([x], (queue) => void heard.push(`${name} ${queue === x}`));
        const stop = await listen('first');
        await listen('second');
        const stopThrowing = await backend.bell.listenToSchedules([x], () => {
          throw new Error('from a listener');
        });
        const until = async (count: number) => {
          while (heard.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
        };
        await put('a', 'now', { queue: y });
        await put('a', 'now', { queue: x });
        await until(2);
        stop();
        stop();
        await put('b', 'now', { queue: x });
        await until(3);
        stopThrowing();
        expect(heard).toEqual(['first true', 'second true', 'second true']);
      }),
    );
  });
}
