import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { FinishHints } from '../../lib/runner/finish-hints.js';
import { finishHints, readFinishHint } from '../../lib/task/finish-hint.js';
import type { Outcome } from '../../lib/task/outcome.js';
import { VirtualClock } from '../support/virtual-clock.js';

const kept: Outcome = { type: 'succeeded', keepMs: 1 };

function stage(isLocal = false) {
  const clock = new VirtualClock();
  const texts: string[] = [];
  const hints = new FinishHints(
    { send: (text) => void texts.push(text), listen: async () => () => {} },
    clock,
    isLocal,
  );
  return { clock, texts, hints, heard: () => texts.flatMap(readFinishHint) };
}

describe('Hints of finished tasks', () => {
  it('name those that are kept, all of one moment in one text', async () => {
    const { hints, texts, heard } = stage();
    const outcomes: Outcome[] = [
      kept,
      { type: 'succeeded', keepMs: 0 },
      { type: 'dead', error: new Error('no'), keepMs: Infinity },
      { type: 'cancelled', reason: 'cancelled', keepMs: 5 },
      { type: 'retry', error: new Error('no'), delayMs: 1 },
      { type: 'handed-back' },
    ];
    outcomes.forEach((outcome, n) => hints.settled({ queue: `q${n % 2}`, id: `${n}` }, outcome));
    await turn();
    expect(texts).toHaveLength(1);
    expect(heard()).toEqual([
      { queue: 'q0', id: '0' },
      { queue: 'q0', id: '2' },
      { queue: 'q1', id: '3' },
    ]);
  });

  it('leave at once after a pause, and otherwise no more than twenty times a second', async () => {
    const { clock, hints, texts, heard } = stage();
    hints.settled({ queue: 'q', id: 'first' }, kept);
    await turn();
    expect(texts).toHaveLength(1);
    for (let n = 0; n < 1_000; n++) {
      hints.settled({ queue: 'q', id: `${n}` }, kept);
      await clock.advance(1);
    }
    await clock.advance(50);
    expect(texts.length).toBeLessThanOrEqual(22);
    expect(heard()).toHaveLength(1_001);
  });

  it('leave at once on a store of the process itself', async () => {
    const { hints, texts } = stage(true);
    for (const id of ['one', 'two', 'three']) {
      hints.settled({ queue: 'q', id }, kept);
      await turn();
    }
    expect(texts).toHaveLength(3);
  });

  it('fit the wire, whatever the names, and arrive to the letter', () => {
    const refs = Array.from({ length: 500 }, (_, n) => ({
      queue: ['mail', '__proto__', 'größe', 'a"b'][n % 4]!,
      id: `${n} ${'ü"\n'.repeat(n % 40)}`,
    }));
    const texts = finishHints(refs, Infinity);
    expect(texts.length).toBeGreaterThan(5);
    for (const text of texts) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4_000);
    const sorted = (list: typeof refs) => list.map(({ queue, id }) => `${queue}|${id}`).toSorted();
    expect(sorted(texts.flatMap(readFinishHint))).toEqual(sorted(refs));
    expect(finishHints(refs, 3)).toEqual(texts.slice(0, 3));
  });

  it('are told from what others send', () => {
    for (const text of [
      '',
      '{"type":"succeeded"}',
      'finished',
      'finished {',
      'finished [1]',
      'finished null',
    ])
      expect(readFinishHint(text)).toEqual([]);
  });

  it('are sent at the end, and none after it', async () => {
    const { clock, hints, texts } = stage();
    hints.settled({ queue: 'q', id: 'one' }, kept);
    await turn();
    hints.settled({ queue: 'q', id: 'two' }, kept);
    hints.end();
    expect(texts).toHaveLength(2);
    hints.settled({ queue: 'q', id: 'three' }, kept);
    await clock.advance(1_000);
    expect(texts).toHaveLength(2);
  });
});
