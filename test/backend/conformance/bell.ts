import { describe, expect, it } from '@jest/globals';
import { type Bundle, type Setup } from './setup.js';

export function describeBell(setup: Setup): void {
  describe('bell', () => {
    it(
      'is heard by the listeners of its queue, each ring, with the cancelled id',
      setup(async (bundle) => {
        const { bell } = bundle.backend;
        const first = await listener(bundle, ['x']);
        const second = await listener(bundle, ['x', 'y']);
        bell.ring(bundle.queueNamed('x'), 'task-1');
        bell.ring(bundle.queueNamed('y'));
        bell.ring(bundle.queueNamed('x'));
        expect(await first.heard(2)).toEqual(['x task-1', 'x']);
        expect(await second.heard(3)).toEqual(['x task-1', 'y', 'x']);
      }),
    );

    it(
      'is not heard in other queues',
      setup(async (bundle) => {
        const { bell } = bundle.backend;
        const deaf = await listener(bundle, ['x']);
        bell.ring(bundle.queueNamed('y'));
        bell.ring(bundle.queueNamed('x'));
        expect(await deaf.heard(1)).toEqual(['x']);
      }),
    );

    it(
      'is heard until the listener stops, which leaves others listening',
      setup(async (bundle) => {
        const { bell } = bundle.backend;
        const stopped = await listener(bundle, ['x']);
        const going = await listener(bundle, ['x']);
        bell.ring(bundle.queueNamed('x'), '1');
        expect(await stopped.heard(1)).toEqual(['x 1']);
        stopped.stop();
        stopped.stop();
        bell.ring(bundle.queueNamed('x'), '2');
        expect(await going.heard(2)).toEqual(['x 1', 'x 2']);
        expect(await stopped.heard(1)).toEqual(['x 1']);
      }),
    );

    it(
      'does not throw, and reaches the others, when a listener throws',
      setup(async (bundle) => {
        const { bell } = bundle.backend;
        const stop = await bell.listen([bundle.queueNamed('x')], () => {
          throw new Error('from a listener');
        });
        const other = await listener(bundle, ['x']);
        expect(() => bell.ring(bundle.queueNamed('x'))).not.toThrow();
        expect(await other.heard(1)).toEqual(['x']);
        stop();
      }),
    );

    it(
      'rings unheard where nobody listens',
      setup(async (bundle) => {
        expect(() => bundle.backend.bell.ring(bundle.queueNamed('nobody'))).not.toThrow();
      }),
    );
  });
}

/** Listens to queues and notes what it hears; `heard` waits for that many rings. */
async function listener({ backend, queueNamed }: Bundle, names: string[]) {
  const rings: string[] = [];
  let rang = () => {};
  const stop = await backend.bell.listen(names.map(queueNamed), (queue, cancelledId) => {
    const name = names.find((known) => queueNamed(known) === queue) ?? queue;
    rings.push(cancelledId === undefined ? name : `${name} ${cancelledId}`);
    rang();
  });
  const heard = async (count: number) => {
    while (rings.length < count) await new Promise<void>((resolve) => (rang = resolve));
    return rings;
  };
  return { stop, heard };
}
