import { describe, expect, it } from '@jest/globals';
import type { ClaimedTask, TaskStore } from '../../lib/backend/backend.js';
import { Annotator } from '../../lib/runner/annotator.js';
import { Attempt } from '../../lib/runner/attempt.js';
import { VirtualClock } from '../support/virtual-clock.js';

type Notes = Parameters<TaskStore['annotate']>[0];

/** What annotates runs, and a store that answers as a test says. */
function stage(annotate: (notes: Notes) => Promise<void> = async () => undefined) {
  const clock = new VirtualClock();
  const calls: Notes[] = [];
  const annotator = new Annotator({ annotate: (notes) => (calls.push(notes), annotate(notes)) }, clock);
  const attempt = (id: string) =>
    new Attempt({ queue: 'q', id, epoch: 7, receipt: `r-${id}` } as ClaimedTask, Infinity, annotator);
  return { clock, calls, annotator, attempt };
}

describe('What runs say about their tasks', () => {
  it('is one call in half a second for all of them, however often each speaks', async () => {
    const { clock, calls, attempt } = stage();
    const [a, b] = [attempt('a'), attempt('b')];
    for (let n = 1; n <= 1_000; n++) {
      a.progress(n / 10, `step ${n}`);
      b.log(`line ${n}`);
      await clock.advance(1);
    }
    expect(calls.length).toBeLessThanOrEqual(2);
    expect(calls[0]).toEqual([
      {
        queue: 'q',
        id: 'a',
        epoch: 7,
        receipt: 'r-a',
        notes: { progress: { percent: 50, note: 'step 500' } },
      },
      {
        ...{ queue: 'q', id: 'b', epoch: 7, receipt: 'r-b' },
        notes: { lines: expect.any(Array) },
      },
    ]);
    expect(calls[0]![1]!.notes.lines).toHaveLength(100);
    expect(calls[0]![1]!.notes.lines!.at(-1)!.message).toBe('line 500');
    await clock.advance(500);
    expect(calls.flat().at(-2)!.notes).toEqual({ progress: { percent: 100, note: 'step 1000' } });
    const sent = calls.length;
    await clock.advance(60_000);
    expect(calls).toHaveLength(sent);
  });

  it('waits while a call is under way, and does not wait for the next to be said', async () => {
    let answer = () => {};
    const { clock, calls, attempt } = stage(() => new Promise((resolve) => (answer = resolve)));
    const one = attempt('one');
    one.log('first');
    await clock.advance(500);
    one.log('second');
    await clock.advance(60_000);
    expect(calls).toHaveLength(1);
    answer();
    await clock.advance(500);
    expect(calls[1]).toMatchObject([{ notes: { lines: [{ message: 'second' }] } }]);
  });

  it('is kept for a store that does not take it, which is asked again after growing pauses', async () => {
    let isDown = true;
    const { clock, calls, attempt } = stage(async () => {
      if (isDown) throw new Error('down');
    });
    const one = attempt('one');
    one.progress(10);
    one.log('first');
    await clock.advance(60_000);
    expect(calls.length).toBeGreaterThan(5);
    expect(calls.length).toBeLessThan(25);
    one.log('second');
    isDown = false;
    await clock.advance(6_000);
    expect(calls.at(-1)).toMatchObject([
      { notes: { progress: { percent: 10 }, lines: [{ message: 'first' }, { message: 'second' }] } },
    ]);
    expect(one.notesWith({ type: 'handed-back' })).toBeUndefined();
  });

  it('goes with the outcome where it was not sent yet, and nowhere where the record goes with that', async () => {
    const { clock, calls, annotator, attempt } = stage();
    const one = attempt('one');
    one.log('last words');
    annotator.leave(one);
    await clock.advance(10_000);
    expect(calls).toEqual([]);
    const lines = [{ at: expect.any(Number), message: 'last words' }];
    expect(one.notesWith({ type: 'succeeded', keepMs: 1 })).toEqual({ lines });
    expect(one.notesWith({ type: 'retry', delayMs: 0, error: new Error('no') })).toEqual({ lines });
    expect(one.notesWith({ type: 'succeeded', keepMs: 0 })).toBeUndefined();
    expect(one.notesWith({ type: 'dead', keepMs: 0, error: new Error('no') })).toBeUndefined();
  });

  it('goes with an outcome that leaves after the store has refused it', async () => {
    let refuse = (_: Error) => {};
    const { clock, annotator, attempt } = stage(() => new Promise((_, reject) => (refuse = reject)));
    const one = attempt('one');
    one.log('under way');
    await clock.advance(500);
    one.hasOutcome = true;
    annotator.leave(one);
    expect(one.notesWith({ type: 'handed-back' })).toBeUndefined();
    refuse(new Error('down'));
    await clock.advance(0);
    expect(one.notesWith({ type: 'handed-back' })).toMatchObject({ lines: [{ message: 'under way' }] });
  });

  it('is nothing any more once the attempt has ended, or belongs to another', async () => {
    const { clock, calls, attempt } = stage();
    const [ended, lost] = [attempt('ended'), attempt('lost')];
    ended.hasOutcome = true;
    ended.log('too late');
    ended.progress(100);
    expect(ended.notes).toBeUndefined();
    lost.log('whose?');
    lost.lose(new Error('lost'));
    await clock.advance(10_000);
    expect(calls).toEqual([]);
  });

  it('is sent in pieces where it is much', async () => {
    const { clock, calls, attempt } = stage();
    for (let n = 0; n < 50; n++) {
      const one = attempt(`${n}`);
      for (let line = 0; line < 100; line++) one.log(`${line}`);
    }
    await clock.advance(5_000);
    expect(calls.map((notes) => notes.length)).toEqual([20, 20, 10]);
    expect(new Set(calls.flat().map(({ id }) => id)).size).toBe(50);
  });

  it('sets no timer after the end', async () => {
    const { clock, calls, annotator, attempt } = stage();
    const one = attempt('one');
    one.log('first');
    annotator.end();
    one.log('second');
    await clock.advance(10_000);
    expect(calls).toEqual([]);
  });
});
