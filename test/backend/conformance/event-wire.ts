import { describe, expect, it } from '@jest/globals';
import { type Bundle, type Setup } from './setup.js';

export function describeEventWire(setup: Setup): void {
  describe('event wire', () => {
    it(
      'carries each text to every listener, also in the process that sends it, those of one moment in order',
      setup(async (bundle) => {
        const [first, second] = [await listener(bundle), await listener(bundle)];
        for (const text of ['one', 'two', 'two', 'three']) first.send(text);
        expect(await first.heard(4)).toEqual(['one', 'two', 'two', 'three']);
        expect(await second.heard(4)).toEqual(['one', 'two', 'two', 'three']);
      }),
    );

    it(
      'carries texts to the letter',
      setup(async (bundle) => {
        const { send, heard } = await listener(bundle);
        const texts = [
          '',
          ' ',
          '{"a":[1,"ü"]}',
          'a\nb\r\n\tc',
          '\x1e\x1f|:',
          '\\"\'',
          '\u{1f600}',
          "'); --",
          '$1 %s',
        ];
        texts.forEach(send);
        expect(await heard(texts.length)).toEqual(texts);
      }),
    );

    it(
      'carries a great many texts of the same moment, and of the moment after',
      setup(async (bundle) => {
        const { send, heard } = await listener(bundle);
        const texts = Array.from({ length: 1_000 }, (_, n) => `${n} ${'x'.repeat(n % 200)}`);
        texts.slice(0, 500).forEach(send);
        await new Promise((resolve) => setImmediate(resolve));
        texts.slice(500).forEach(send);
        // What two moments have sent may change places on its way.
        expect((await heard(texts.length)).toSorted()).toEqual(texts.toSorted());
      }),
    );

    it(
      'carries 4,000 bytes, does not carry more, and is none the worse for it',
      setup(async (bundle) => {
        const { send, heard, tag } = await listener(bundle);
        const room = 4_000 - Buffer.byteLength(tag);
        const texts = ['x'.repeat(room), 'ü'.repeat(room / 2), 'short'];
        send('before');
        send('x'.repeat(room + 1));
        // More bytes than letters.
        send('ü'.repeat(room / 2 + 1));
        send('x'.repeat(10_000_000));
        texts.forEach(send);
        expect(await heard(4)).toEqual(['before', ...texts]);
      }),
    );

    it(
      'is heard until the listener stops, which leaves others listening',
      setup(async (bundle) => {
        const [stopped, going] = [await listener(bundle), await listener(bundle)];
        going.send('one');
        expect(await stopped.heard(1)).toEqual(['one']);
        stopped.stop();
        stopped.stop();
        going.send('two');
        expect(await going.heard(2)).toEqual(['one', 'two']);
        expect(await stopped.heard(1)).toEqual(['one']);
        going.stop();
        const again = await listener(bundle);
        again.send('three');
        expect(await again.heard(1)).toEqual(['three']);
        expect(await going.heard(2)).toEqual(['one', 'two']);
      }),
    );

    it(
      'reaches the others, and does not throw, when a listener throws',
      setup(async (bundle) => {
        const stop = await bundle.backend.events.listen(() => {
          throw new Error('from a listener');
        });
        const { send, heard } = await listener(bundle);
        expect(() => send('one')).not.toThrow();
        send('two');
        expect(await heard(2)).toEqual(['one', 'two']);
        stop();
      }),
    );

    it(
      'takes texts that nobody hears',
      setup(async ({ backend }) => {
        expect(() => backend.events.send('nobody')).not.toThrow();
      }),
    );
  });
}

/** Listens, and notes what is the test's own of what it hears; `heard` waits for that many texts. */
async function listener({ backend, queue }: Bundle) {
  // Of an even length, for texts that fill a size with letters of two bytes.
  const tag = `${queue} `.padEnd(100);
  const texts: string[] = [];
  let came = () => {};
  const stop = await backend.events.listen((text) => {
    if (!text.startsWith(tag)) return;
    texts.push(text.slice(tag.length));
    came();
  });
  const heard = async (count: number) => {
    while (texts.length < count) await new Promise<void>((resolve) => (came = resolve));
    return texts;
  };
  return { stop, heard, tag, send: (text: string) => backend.events.send(tag + text) };
}
