import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import type { Backend } from '../../lib/backend/backend.js';
import type { NewTask } from '../../lib/task/task-record.js';
import { eventually } from '../support/app.js';
import { expectCountersOfTasks } from '../support/postgres-counters.js';
import { onOwnSchema } from '../support/postgres-schema.js';
import { boom, leaseMs } from './conformance/setup.js';

const { schema, pool, open, rows } = onOwnSchema();

const task = (queue: string, fields: Partial<NewTask> = {}): NewTask => {
  const id = fields.id ?? randomUUID();
  const usual = { job: 'Job', params: '1', priority: 0, due: { inMs: 0 }, retries: 3 };
  return { queue, ...usual, token: fields.id === undefined ? id : randomUUID(), ...fields, id };
};
const claim = (backend: Backend, queue: string, limit = 50) =>
  backend.tasks.claim({ queues: [{ queue, limit }], limit, leaseMs, runner: randomUUID() });
const recount = (...queues: string[]) => expectCountersOfTasks({ rows }, schema, queues);
const moves = async () =>
  Number((await rows<{ n: string }>(`SELECT count(*) AS n FROM "${schema}".moves`))[0]!.n);
const fold = (client: pg.Pool | pg.PoolClient = pool) => client.query(`SELECT "${schema}".fold_v1('')`);

async function inTransaction<R>(work: (client: pg.PoolClient) => Promise<R>): Promise<R> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    return await work(client);
  } finally {
    // Where the test has ended it itself, this does nothing.
    await client.query('ROLLBACK');
    client.release();
  }
}

describe('Counters within transactions of the application', () => {
  it('count what is committed, and nothing that is rolled back', async () => {
    const backend = await open();
    const queue = randomUUID();
    const counted = async () => (await backend.catalog.counts(queue)).waiting;
    await inTransaction(async (client) => {
      await backend.transactions!.add(client, [task(queue), task(queue)]);
      expect(await counted()).toBe(0);
      await client.query('SAVEPOINT one');
      await backend.transactions!.add(client, [task(queue)]);
      await client.query('ROLLBACK TO SAVEPOINT one');
      await backend.transactions!.add(client, [task(queue)]);
      await client.query('COMMIT');
    });
    expect(await counted()).toBe(3);
    const { tasks } = await claim(backend, queue, 2);
    await inTransaction(async (client) => {
      await backend.transactions!.add(client, [task(queue)]);
      const [lease] = tasks;
      const outcome = { type: 'succeeded', keepMs: 60_000 } as const;
      expect(await backend.transactions!.settle(client, { ...lease!, outcome })).toBe('settled');
    });
    expect(await backend.catalog.counts(queue)).toMatchObject({ waiting: 1, pending: 2, succeeded: 0 });
    await recount(queue);
  });

  it('keep nobody waiting while one is open, and are folded around it', async () => {
    const backend = await open();
    const queue = randomUUID();
    await backend.tasks.add(Array.from({ length: 5 }, () => [task(queue)]));
    const { tasks } = await claim(backend, queue, 2);
    await inTransaction(async (client) => {
      await backend.transactions!.add(client, [task(queue)]);
      await backend.transactions!.settle(client, { ...tasks[0]!, outcome: { type: 'succeeded', keepMs: 0 } });
      for (let n = 0; n < 120; n++)
        await backend.catalog.runNow([{ queue, id: await scheduled(backend, queue) }]);
      await inTransaction(async (other) => {
        await other.query("SET LOCAL lock_timeout = '1s'");
        await fold(other);
        await other.query('COMMIT');
      });
      expect(await moves()).toBeLessThan(100);
      expect(await backend.catalog.counts(queue)).toMatchObject({ waiting: 123, pending: 2 });
      await client.query('COMMIT');
    });
    expect(await backend.catalog.counts(queue)).toMatchObject({ waiting: 124, pending: 1 });
    await recount(queue);
  });
});

async function scheduled(backend: Backend, queue: string): Promise<string> {
  const one = task(queue, { due: { inMs: 60_000 } });
  await backend.tasks.add([[one]]);
  return one.id;
}

describe('Counters', () => {
  it('are right at every moment, whatever many processes do at once', async () => {
    const backends = [await open(), await open(), await open()];
    const queues = Array.from({ length: 3 }, () => randomUUID());
    let isOver = false;
    let taken = 0;
    const any = <T>(of: readonly T[]): T => of[Math.floor(Math.random() * of.length)]!;
    const id = () => `id-${Math.floor(Math.random() * 10)}`;
    const outcomes = [
      { type: 'succeeded', keepMs: 0 },
      { type: 'succeeded', keepMs: 50 },
      { type: 'succeeded', keepMs: Infinity },
      { type: 'retry', error: boom, delayMs: 0 },
      { type: 'retry', error: boom, delayMs: 20 },
      { type: 'dead', error: boom, keepMs: 1_000 },
      { type: 'parked', reason: 'unknown-job' },
      { type: 'handed-back' },
    ] as const;
    const steps: ((backend: Backend, queue: string) => Promise<unknown>)[] = [
      ({ tasks }, queue) => tasks.add([[task(queue), task(queue, { due: { inMs: 20 } })], [task(queue)]]),
      ({ tasks }, queue) => tasks.add([[task(queue, { id: id(), replace: Math.random() < 0.5 })]]),
      ({ tasks }, queue) =>
        tasks.add([[task(queue, { lock: { key: id(), phase: 'until_completed', onConflict: 'replace' } })]]),
      ({ tasks }, queue) => tasks.add([[task(queue, { expires: { inMs: 10 } })]]),
      async (backend, queue) => {
        const { tasks } = await claim(backend, queue);
        await backend.tasks.settle(tasks.map((lease) => ({ ...lease, outcome: any(outcomes) })));
      },
      async (backend, queue) => {
        const { tasks } = await claim(backend, queue, 5);
        // Lost, and found by another.
        for (const lease of tasks.slice(1)) await backend.tasks.renew([lease], 0);
        const done = { type: 'succeeded', keepMs: 0 } as const;
        const settling = backend.tasks.settle(tasks.map((lease) => ({ ...lease, outcome: done })));
        await claim(backend, queue, 1);
        await settling;
      },
      ...(['retry', 'cancel', 'remove', 'runNow'] as const).map(
        (act) => async (backend: Backend, queue: string) => {
          const state = any(['scheduled', 'waiting', 'pending', 'dead', 'parked', 'cancelled'] as const);
          const { tasks } = await backend.catalog.list(queue, state, { limit: 10 });
          await backend.catalog[act](tasks);
        },
      ),
      ({ tasks }, queue) => tasks.unpark(queue, [{ job: 'Job', fingerprint: 'other' }]),
      (backend, queue) =>
        inTransaction(async (client) => {
          await backend.transactions!.add(client, [task(queue), task(queue, { id: id() })]);
          await client.query('SAVEPOINT one');
          await backend.transactions!.add(client, [task(queue)]);
          if (Math.random() < 0.5) await client.query('ROLLBACK TO SAVEPOINT one');
          if (Math.random() < 0.5) await client.query('COMMIT');
        }),
      () => fold(),
    ];
    const working = Array.from({ length: 8 }, async () => {
      while (!isOver) {
        await any(steps)(any(backends), any(queues));
        taken++;
      }
    });
    try {
      while (taken < 3_000) await recount(...queues);
    } finally {
      isOver = true;
      await Promise.all(working);
    }
    await recount(...queues);
    // That it was a test of all this.
    const used = await Promise.all(queues.map((queue) => backends[0]!.catalog.counts(queue)));
    expect(used.some(({ waiting, parked, succeeded }) => waiting + parked + succeeded > 0)).toBe(true);
  }, 120_000);

  it('are folded by one process at a time, each move once, and the others go on', async () => {
    const backend = await open();
    const queue = randomUUID();
    const add = async (count: number) => {
      for (let n = 0; n < count; n++) await backend.tasks.add([[task(queue)]]);
    };
    await add(150);
    await inTransaction(async (client) => {
      await fold(client);
      await add(150);
      // Does not wait for the one that is at it.
      await fold();
      expect(await moves()).toBeGreaterThanOrEqual(300);
      expect((await backend.catalog.counts(queue)).waiting).toBe(300);
      await client.query('ROLLBACK');
    });
    expect((await backend.catalog.counts(queue)).waiting).toBe(300);
    await Promise.all([...Array.from({ length: 40 }, () => fold()), add(150)]);
    await fold();
    expect(await moves()).toBeLessThan(100);
    expect((await backend.catalog.counts(queue)).waiting).toBe(450);
    await recount(queue);
  });

  it('are kept up to date where tasks are only enqueued', async () => {
    const backend = await open();
    const queue = randomUUID();
    await backend.tasks.add(Array.from({ length: 10 }, () => [task(queue)]));
    for (let n = 0; n < 200; n++) await backend.tasks.add([[task(queue)]]);
    let added = 210;
    await eventually(async () => {
      await backend.tasks.add([[task(queue)]]);
      added++;
      return (await moves()) < 100;
    });
    expect((await backend.catalog.counts(queue)).waiting).toBe(added);
  });

  it('of tasks that share a statement are appended together', async () => {
    const backend = await open();
    const queue = randomUUID();
    // So many that they are folded, and nothing is left that a claim would fold.
    for (let n = 0; n < 120; n++) await backend.tasks.add([[task(randomUUID())]]);
    await fold();
    expect(await moves()).toBe(0);
    const appended = async (work: () => Promise<unknown>) => {
      const count = `SELECT count(*) AS n FROM "${schema}".moves WHERE queue = $1`;
      const before = Number((await rows<{ n: string }>(count, [queue]))[0]!.n);
      await work();
      return Number((await rows<{ n: string }>(count, [queue]))[0]!.n) - before;
    };
    expect(await appended(() => backend.tasks.add([Array.from({ length: 50 }, () => task(queue))]))).toBe(1);
    let tasks: Awaited<ReturnType<typeof claim>>['tasks'] = [];
    expect(await appended(async () => ({ tasks } = await claim(backend, queue, 30)))).toBe(1);
    expect(
      await appended(async () => {
        const done = { type: 'succeeded', keepMs: 0 } as const;
        const kept = { type: 'succeeded', keepMs: 60_000 } as const;
        const settling = backend.tasks.settle(
          tasks.map((lease, at) => ({ ...lease, outcome: at % 2 ? done : kept })),
        );
        await claim(backend, queue, 10);
        await settling;
      }),
    ).toBe(3);
    await recount(queue);
  });
});

describe('Tasks whose time is over', () => {
  it('are all forgotten after one claim, however many they are', async () => {
    const backend = await open();
    const queue = randomUUID();
    await backend.tasks.add([Array.from({ length: 5_000 }, () => task(queue))]);
    await inTransaction(async (client) => {
      await client.query(
        `UPDATE "${schema}".tasks SET state = 'succeeded', finished_at = 1, remove_at = 1 WHERE queue = $1`,
        [queue],
      );
      await client.query(`INSERT INTO "${schema}".moves VALUES (5000, $1, 'waiting', 'succeeded')`, [queue]);
      await client.query('COMMIT');
    });
    await claim(backend, queue);
    const left = async () =>
      (await rows(`SELECT FROM "${schema}".tasks WHERE queue = $1 LIMIT 1`, [queue])).length;
    await eventually(async () => (await left()) === 0);
    await recount(queue);
  });
});
