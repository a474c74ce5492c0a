import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isPlainTask, taskText, taskArguments } from '../../lib/backend/redis/redis-records.js';

describe('The text of a plain task', () => {
  const text = fc.string({ unit: 'binary' });
  const plain = fc.record(
    {
      job: text,
      params: text,
      retries: fc.nat(),
      extra: text,
      scheduleId: text,
      slot: fc.nat(),
      keepMs: fc.oneof(fc.nat(), fc.constant(Infinity)),
    },
    { requiredKeys: ['job', 'params', 'retries'] },
  );

  it('is the same by the short way as by the long one', () => {
    fc.assert(
      fc.property(plain, (given) => {
        const task = { queue: 'q', id: 'a', token: 'a', priority: 0, due: { inMs: 0 }, ...given };
        expect(isPlainTask(task)).toBe(true);
        expect(taskArguments(task)).toEqual(['a', 'P', taskText(task)]);
      }),
    );
  });
});
