import { describe, expect, it } from '@jest/globals';
import type { Backend } from '../../lib/backend/backend.js';
import { ResultWaits } from '../../lib/queue/result-waits.js';
import { finishHints } from '../../lib/task/finish-hint.js';
import type { TaskRecord, TaskRef } from '../../lib/task/task-record.js';
import { VirtualClock } from '../support/virtual-clock.js';

type Heard = (text: string) => void;

/** Waits on a store whose tasks a test moves; each look takes `lookMs`. */
function stage({
  lookMs = 1,
  queues = ['q'],
  listen,
}: { lookMs?: number; queues?: string[]; listen?: () => void } = {}) {
  const clock = new VirtualClock();
  const records = new Map<string, Partial<TaskRecord>>();
  const listeners = new Set<Heard>();
  const seen = { looks: 0, most: 0, listened: 0, lookedAt: [] as number[] };
  let underWay = 0;
  let trouble: Error | undefined;
  const get = async ({ queue, id }: TaskRef) => {
    seen.looks++;
    seen.lookedAt.push(clock.elapsed());
    seen.most = Math.max(seen.most, ++underWay);
    const found = records.get(`${queue}/${id}`);
    await new Promise<void>((resolve) => clock.after(lookMs, resolve));
    underWay--;
    if (trouble) throw trouble;
    return found && { job: 'Job', queue, id, errors: [], ...found };
  };
  const events: Backend['events'] = {
    send: () => undefined,
    listen: async (heard) => {
      seen.listened++;
      listen?.();
      listeners.add(heard);
      return () => listeners.delete(heard);
    },
  };
  const waits = new ResultWaits({ catalog: { get } as never, events }, clock, async () => queues);
  const settled: Record<string, unknown> = {};
  /** Waits, and notes what came of it under a name. */
  const wait = (name: string, ref: { queue?: string; id: string }, timeoutMs = 30_000) =>
    void waits.wait(ref, timeoutMs).then(
      (value) => (settled[name] = value),
      (error: Error) => (settled[name] = error),
    );
  return {
    clock,
    seen,
    settled,
    waits,
    wait,
    listeners,
    put: (id: string, record: Partial<TaskRecord>, queue = 'q') => records.set(`${queue}/${id}`, record),
    remove: (id: string, queue = 'q') => records.delete(`${queue}/${id}`),
    hint: (...ids: string[]) => {
      const refs = ids.map((id) => ({ queue: 'q', id }));
      for (const text of finishHints(refs, Infinity)) for (const heard of listeners) heard(text);
    },
    down: (error?: Error) => (trouble = error),
  };
}

const running: Partial<TaskRecord> = { state: 'pending' };
const done = (result?: string): Partial<TaskRecord> => ({ state: 'succeeded', result });

describe('Waiting for a result', () => {
  it('ends with the first look where the task has ended, with its value or with an error that says why', async () => {
    const { clock, settled, wait, put, seen } = stage();
    put('value', done('{"a":[1]}'));
    put('nothing', done());
    put('unreadable', done('{'));
    put('dead', {
      state: 'dead',
      errors: [
        { name: 'Error', message: 'first', attempt: 1, at: 1 },
        { name: 'RangeError', message: 'no', stack: 'the stack', attempt: 2, at: 2 },
      ],
    });
    put('cancelled', { state: 'cancelled', reason: 'expired' });
    for (const id of ['value', 'nothing', 'unreadable', 'dead', 'cancelled', 'unknown'])
      wait(id, { queue: 'q', id });
    await clock.advance(1);
    expect(settled).toMatchObject({
      value: { a: [1] },
      nothing: undefined,
      unreadable: { code: 'RESULT_MISSING', cause: expect.any(SyntaxError) },
      dead: {
        code: 'TASK_DIED',
        message: 'Job: task dead is dead: RangeError: no',
        cause: { name: 'RangeError', message: 'no', stack: 'the stack' },
      },
      cancelled: { code: 'TASK_CANCELLED', message: 'Job: task cancelled was cancelled: expired' },
      unknown: { code: 'RESULT_MISSING', message: expect.stringContaining("no such task in queue 'q'") },
    });
    expect('nothing' in settled).toBe(true);
    expect(seen.looks).toBe(6);
  });

  it('goes on until the end of a task that is tried again, and looks as soon as a hint comes', async () => {
    const { clock, settled, wait, put, seen, hint } = stage();
    put('a', running);
    wait('a', { queue: 'q', id: 'a' });
    await clock.advance(10_000);
    put('a', { state: 'scheduled', failures: 1 });
    await clock.advance(10_000);
    const { looks } = seen;
    // Looks a second apart at most.
    expect(looks).toBeGreaterThanOrEqual(20);
    expect(looks).toBeLessThan(40);
    put('a', done('1'));
    hint('others', 'a');
    await clock.advance(1);
    expect(settled).toEqual({ a: 1 });
    await clock.advance(60_000);
    expect(seen.looks).toBe(looks + 1);
  });

  it('finds the end without a hint within a second, and sooner in the beginning', async () => {
    const { clock, settled, wait, put } = stage();
    put('short', running);
    wait('short', { queue: 'q', id: 'short' });
    await clock.advance(20);
    put('short', done('1'));
    await clock.advance(100);
    expect(settled).toEqual({ short: 1 });
    put('long', running);
    wait('long', { queue: 'q', id: 'long' });
    await clock.advance(20_000);
    put('long', done('2'));
    await clock.advance(1_010);
    expect(settled).toEqual({ short: 1, long: 2 });
  });

  it('does not take a look for the truth that began before the hint', async () => {
    const { clock, settled, wait, put, hint } = stage({ lookMs: 100 });
    put('a', running);
    wait('a', { queue: 'q', id: 'a' });
    await clock.advance(50);
    put('a', done('1'));
    hint('a');
    await clock.advance(50);
    expect(settled).toEqual({});
    await clock.advance(100);
    expect(settled).toEqual({ a: 1 });
  });

  it('does not take a look for the truth that began before the caller came', async () => {
    const { clock, settled, wait, put } = stage({ lookMs: 100 });
    wait('before', { queue: 'q', id: 'a' });
    await clock.advance(50);
    put('a', done('1'));
    wait('after', { queue: 'q', id: 'a' });
    await clock.advance(200);
    expect(settled.after).toBe(1);
  });

  it('ends after its time, says what was seen last, and asks no more', async () => {
    const { clock, settled, wait, put, seen, down } = stage();
    put('parked', { state: 'parked' });
    wait('parked', { queue: 'q', id: 'parked' }, 5_000);
    wait('again', { queue: 'q', id: 'parked' }, 7_000);
    await clock.advance(4_999);
    expect(settled).toEqual({});
    await clock.advance(1);
    expect(settled).toMatchObject({
      parked: {
        ...{ code: 'RESULT_TIMEOUT', queue: 'q', id: 'parked', timeoutMs: 5_000, state: 'parked' },
        message: expect.stringContaining('last seen parked'),
      },
    });
    const trouble = new Error('the store is down');
    down(trouble);
    wait('down', { queue: 'q', id: 'other' }, 1_000);
    await clock.advance(2_000);
    expect(settled).toMatchObject({
      again: { code: 'RESULT_TIMEOUT', state: 'parked', cause: trouble },
      down: { code: 'RESULT_TIMEOUT', state: undefined, cause: trouble },
    });
    const { looks } = seen;
    await clock.advance(60_000);
    expect(seen.looks).toBe(looks);
  });

  it('outlasts an outage that is shorter than its time', async () => {
    const { clock, settled, wait, put, down } = stage();
    put('a', done('1'));
    down(new Error('the store is down'));
    wait('a', { queue: 'q', id: 'a' });
    wait('by id', { id: 'a' });
    await clock.advance(10_000);
    expect(settled).toEqual({});
    down(undefined);
    await clock.advance(1_010);
    expect(settled).toEqual({ a: 1, 'by id': 1 });
  });

  it('finds a task by its id alone in whichever queue it is, and hears of it from then on', async () => {
    const { clock, settled, wait, put, seen, hint } = stage({ queues: ['p', 'q', 'r'] });
    put('a', running);
    wait('a', { id: 'a' });
    wait('same', { queue: 'q', id: 'a' });
    wait('unknown', { id: 'unknown' });
    await clock.advance(10_000);
    expect(settled).toMatchObject({
      unknown: { code: 'RESULT_MISSING', message: expect.stringContaining('any queue') },
    });
    const { looks } = seen;
    put('a', done('1'));
    hint('a');
    await clock.advance(1);
    expect(settled).toMatchObject({ a: 1, same: 1 });
    expect(seen.looks).toBe(looks + 1);
    put('late', running);
    wait('late', { id: 'late' }, 500);
    await clock.advance(500);
    expect(settled.late).toMatchObject({ code: 'RESULT_TIMEOUT', queue: 'q', state: 'pending' });
  });

  it('of thousands asks the store a few at a time, some hundred times a second, and hints find all', async () => {
    const { clock, settled, wait, put, seen, hint } = stage({ lookMs: 1 });
    const ids = Array.from({ length: 2_000 }, (_, n) => `${n}`);
    for (const id of ids) {
      put(id, running);
      wait(id, { queue: 'q', id });
    }
    await clock.advance(1_000);
    expect(seen.most).toBeLessThanOrEqual(8);
    const looksBefore = seen.looks;
    await clock.advance(5_000);
    expect(seen.looks - looksBefore).toBeLessThanOrEqual(300 * 5);
    for (const id of ids) put(id, done(id));
    hint(...ids);
    await clock.advance(1_000);
    expect(Object.keys(settled)).toHaveLength(ids.length);
    expect(seen.most).toBeLessThanOrEqual(8);
  });

  it('of many callers for one task asks once', async () => {
    const { clock, settled, wait, put, seen } = stage();
    put('a', done('1'));
    for (let n = 0; n < 1_000; n++) wait(`${n}`, { queue: 'q', id: 'a' });
    await clock.advance(10);
    expect(Object.values(settled)).toEqual(Array(1_000).fill(1));
    expect(seen.looks).toBeLessThanOrEqual(2);
  });

  it('listens once, from the first call until the end, and tries again where that failed', async () => {
    let isDown = true;
    const { clock, wait, waits, put, seen, listeners } = stage({
      listen: () => {
        if (isDown) throw new Error('down');
      },
    });
    expect(seen.listened).toBe(0);
    put('a', running);
    wait('a', { queue: 'q', id: 'a' });
    await clock.advance(100);
    wait('b', { queue: 'q', id: 'a' });
    expect(seen.listened).toBe(1);
    isDown = false;
    await clock.advance(5_000);
    for (let n = 0; n < 10; n++) wait(`${n}`, { queue: 'q', id: 'a' });
    await clock.advance(100);
    expect([seen.listened, listeners.size]).toEqual([2, 1]);
    waits.close();
    expect(listeners.size).toBe(0);
  });

  it('ends for all when the application closes, and leaves nothing behind', async () => {
    const { clock, settled, wait, waits, put, seen } = stage({ lookMs: 100 });
    put('resting', running);
    wait('resting', { queue: 'q', id: 'resting' });
    await clock.advance(110);
    wait('looking', { queue: 'q', id: 'looking' });
    await clock.advance(10);
    waits.close();
    wait('after', { queue: 'q', id: 'resting' });
    await clock.advance(0);
    for (const name of ['resting', 'looking', 'after'])
      expect(settled[name]).toMatchObject({ code: 'QUEUE_CLOSED' });
    const { looks } = seen;
    await clock.advance(60_000);
    expect(seen.looks).toBe(looks);
  });
});
