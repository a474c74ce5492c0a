import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { PostgresFunctions } from '../../lib/backend/postgres/postgres-functions.js';
import { CollisionError, refusalOf } from '../../lib/backend/postgres/postgres-refusal.js';

/** A database in which two transactions are always in each other's way; the time that each try was given. */
function colliding(takesMs: number) {
  const given: number[] = [];
  const connection = {
    async query(_: unknown, __: unknown, withinMs: number): Promise<never> {
      given.push(withinMs);
      await sleep(takesMs);
      throw new CollisionError();
    },
  };
  return { given, functions: new PostgresFunctions(connection, 'jobs') };
}

describe('Collisions', () => {
  it('are tried again five times at most', async () => {
    const { given, functions } = colliding(0);
    await expect(functions.call('some_v1', {}, 5_000)).rejects.toBeInstanceOf(CollisionError);
    expect(given).toHaveLength(5);
  });

  it('share the time of whoever asked', async () => {
    const { given, functions } = colliding(60);
    await expect(functions.call('some_v1', {}, 150)).rejects.toBeInstanceOf(CollisionError);
    expect(given[0]).toBe(150);
    expect(given.length).toBeLessThan(4);
    given.slice(1).forEach((ms, at) => expect(ms).toBeLessThanOrEqual(given[at]! - 59));
  });
});

describe('A function that a newer release makes anew in the moment of a call', () => {
  it.each([
    ['XX000', 'cache lookup failed for function 38087'],
    ['42883', 'function settle_one(settlement, bigint, bigint) does not exist'],
  ])('is called again: %s', async (code, message) => {
    let tries = 0;
    const connection = {
      async query() {
        if (++tries === 1) throw refusalOf('postgres', Object.assign(new Error(message), { code }), true);
        return [{ answer: '"done"' }];
      },
    };
    expect(await new PostgresFunctions(connection, 'jobs').call('some_v1', {})).toBe('done');
    expect(tries).toBe(2);
  });

  it('is an outage where the server fails for another reason', async () => {
    let tries = 0;
    const connection = {
      async query(): Promise<never> {
        tries++;
        throw refusalOf('postgres', Object.assign(new Error('invalid page'), { code: 'XX000' }), true);
      },
    };
    await expect(new PostgresFunctions(connection, 'jobs').call('some_v1', {})).rejects.toThrow(
      'invalid page',
    );
    expect(tries).toBe(1);
  });
});
