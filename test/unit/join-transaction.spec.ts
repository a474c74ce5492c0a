import { describe, expect, it } from '@jest/globals';
import { UnsupportedTransactionError } from '../../lib/backend/errors.js';
import { joinTransaction } from '../../lib/backend/postgres/transaction/join-transaction.js';

const secret = 'hunter2';

class Purse {
  readonly content = secret;
}

/** What is said of what cannot be joined. */
function refusalOf(given: unknown): UnsupportedTransactionError {
  try {
    joinTransaction(given);
  } catch (error) {
    expect(error).toBeInstanceOf(UnsupportedTransactionError);
    return error as UnsupportedTransactionError;
  }
  throw new Error('it was joined');
}

describe('What is of no known library', () => {
  it.each([
    ['undefined', undefined],
    ['null', null],
    ['string', `postgres://me:${secret}@host/db`],
    ['boolean', true],
    ['symbol', Symbol(secret)],
    ['function', () => secret],
    ['Object', { query: secret, [secret]: 1 }],
    ['object', Object.assign(Object.create(null), { secret })],
    ['Array', [secret]],
    ['Purse', new Purse()],
    ['Map', new Map([[secret, secret]])],
  ])('is refused by its type, %s, and never by its content', (name, given) => {
    const { message, ...refusal } = refusalOf(given);
    expect(refusal).toMatchObject({ code: 'UNSUPPORTED_TRANSACTION', given: name });
    expect(message).toContain(`(${name})`);
    expect(message).not.toContain(secret);
  });

  it('is refused with the list of what is supported', () => {
    const { message, supported } = refusalOf({});
    for (const library of [
      'pg client',
      'TypeORM',
      'Prisma',
      'Drizzle',
      'Knex',
      'Kysely',
      'MikroORM',
      'pglite',
    ])
      expect(supported.filter((name) => name.includes(library))).toHaveLength(1);
    expect(supported).toHaveLength(8);
    for (const name of supported) expect(message).toContain(name);
  });

  it('is refused as well where nothing of it can be looked at', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(refusalOf(proxy).given).toBe('object');
    const throwing = new Proxy(
      {},
      {
        get() {
          throw new Error(secret);
        },
      },
    );
    expect(refusalOf(throwing).message).not.toContain(secret);
  });

  it('is refused with the advice to await it where it is a promise', () => {
    expect(refusalOf(Promise.resolve({})).message).toContain('(Promise): it is a promise; await it first');
  });
});
