import { expect, it } from '@jest/globals';
import { StoreUnavailableError } from '../../lib/backend/errors.js';
import { AddLine } from '../../lib/backend/postgres/postgres-add.js';
import { PostgresFunctions } from '../../lib/backend/postgres/postgres-functions.js';
import { KnownQueues } from '../../lib/backend/postgres/postgres-queues.js';
import { refusalOf } from '../../lib/backend/postgres/postgres-refusal.js';
import type { NewTask } from '../../lib/task/task-record.js';

const plain: NewTask = {
  queue: 'q',
  id: 'a',
  token: 'a',
  job: 'Job',
  params: '1',
  priority: 0,
  due: { inMs: 0 },
  retries: 3,
};

/** A database that refuses the first call with these words, and leaves the others without an answer. */
function refusesThenFallsSilent() {
  let calls = 0;
  const connection = {
    query: (_: unknown, __: unknown, withinMs: number): Promise<never> =>
      new Promise((_resolve, reject) => {
        const readOnly = Object.assign(new Error('cannot write here'), { code: '25006' });
        if (++calls === 1) reject(refusalOf('a database', readOnly, true));
        else
          setTimeout(
            () => reject(new StoreUnavailableError(`no answer within ${withinMs} ms`, true)),
            withinMs,
          );
      }),
  };
  return new PostgresFunctions(connection, 'jobs');
}

it('tells who waits what the database said before it fell silent, and that it may have the tasks', async () => {
  const functions = refusesThenFallsSilent();
  const known = new KnownQueues({ call: async () => undefined } as unknown as PostgresFunctions);
  const line = new AddLine(functions, known, 500, new AbortController().signal, false);
  expect(await line.add([plain])).toMatchObject({
    name: StoreUnavailableError.name,
    message: 'a database refuses: cannot write here',
    sent: true,
  });
});
