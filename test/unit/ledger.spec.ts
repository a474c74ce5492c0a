import { describe, expect, it } from '@jest/globals';
import { Ledger } from '../../lib/testing/ledger.js';
import type { NewTask } from '../../lib/task/task-record.js';

const taskNamed = (id: string): NewTask => ({
  queue: 'default',
  id,
  token: id,
  job: 'Work',
  params: '',
  priority: 0,
  due: { inMs: 0 },
  retries: 0,
});

describe('What a test has enqueued', () => {
  it('is told apart by name, the latest of a name, as fast for many as for few', async () => {
    const ledger = new Ledger(() => undefined);
    const ids = Array.from({ length: 20_000 }, (_, n) => `task-${n}`);
    for (const id of ids) await ledger.add(taskNamed(id), { status: 'enqueued' }, 0);
    const begunAt = performance.now();
    for (const id of ids) ledger.said({ queue: 'default', id }, { priority: 1 });
    expect(performance.now() - begunAt).toBeLessThan(2_000);
    expect(ledger.list().every(({ options }) => options.priority === 1)).toBe(true);
    await ledger.add(taskNamed('task-7'), { status: 'enqueued' }, 0);
    await ledger.add(taskNamed('task-7'), { status: 'replaced' }, 0);
    expect(ledger.said({ queue: 'default', id: 'task-7' }, { priority: 2 })).toMatchObject({ id: 'task-7' });
    const named = ledger.list().filter(({ id }) => id === 'task-7');
    expect(named.map(({ options }) => options.priority)).toEqual([1, 2]);
  });
});
