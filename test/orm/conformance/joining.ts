import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UnsupportedTransactionError } from '../../../lib/backend/errors.js';
import {
  joinTransaction,
  transactionAdapters,
} from '../../../lib/backend/postgres/transaction/join-transaction.js';
import type { Database, DatabaseKind } from './database.js';
import { describeEnqueueing } from './enqueueing.js';
import { oddTexts } from './odd-texts.js';

/** A library that is connected to a database. */
export interface Library {
  /** Runs work in a transaction, which is committed when the work resolves and rolled back when it rejects. */
  inTransaction(work: (transaction: any) => Promise<unknown>): Promise<unknown>;
  /** The same with a savepoint inside a transaction. */
  inSavepoint(transaction: any, work: (transaction: any) => Promise<unknown>): Promise<unknown>;
  /** What the library has that is no transaction, by what it is called, and the reason that is given. */
  readonly notTransactions: Readonly<Record<string, readonly [given: unknown, reason: string]>>;
  /** What the library itself says of a statement on a transaction that has ended, where it is left to it. */
  readonly ended?: string;
  close(): Promise<unknown>;
}

const failingSql = 'SELECT (1 / length($1))::text AS answer';

/** States what joining a transaction means: every library passes all of it. */
export function describeJoining<D extends Database>(
  name: string,
  kind: DatabaseKind<D>,
  openLibrary: (database: D) => Promise<Library> | Library,
): void {
  describe(`A transaction of ${name}`, () => {
    let database: D;
    let library: Library;
    beforeAll(async () => {
      database = await kind.open();
      library = await openLibrary(database);
    });
    afterAll(async () => {
      await library?.close();
      await database?.close();
    });

    describeEnqueueing(kind.isEmbedded, () => ({ database, library }));

    const add = async (transaction: unknown, text: string) =>
      joinTransaction(transaction)(`SELECT "${database.schema}".add_v1($1) AS answer`, [text]);
    const areStored = async (texts: readonly string[]) => {
      const stored: boolean[] = [];
      for (const text of texts) stored.push(await database.isStored(text));
      return stored;
    };
    const newTexts = () => [randomUUID(), randomUUID(), randomUUID()] as const;

    it('stores with its commit', async () => {
      const [text] = newTexts();
      await library.inTransaction(async (transaction) => {
        expect(await add(transaction, text)).toEqual([{ answer: text }]);
      });
      expect(await database.isStored(text)).toBe(true);
    });

    it('leaves nothing when it is rolled back', async () => {
      const [text] = newTexts();
      await expect(
        library.inTransaction(async (transaction) => {
          await add(transaction, text);
          throw new Error('rolled back');
        }),
      ).rejects.toThrow('rolled back');
      expect(await database.isStored(text)).toBe(false);
    });

    it('leaves nothing of a savepoint that is rolled back, and all around it', async () => {
      const [before, within, after] = newTexts();
      await library.inTransaction(async (transaction) => {
        await add(transaction, before);
        await expect(
          library.inSavepoint(transaction, async (savepoint) => {
            await add(savepoint, within);
            throw new Error('rolled back');
          }),
        ).rejects.toThrow('rolled back');
        await add(transaction, after);
      });
      expect(await areStored([before, within, after])).toEqual([true, false, true]);
    });

    it('stores what a released savepoint holds', async () => {
      const [text] = newTexts();
      await library.inTransaction((transaction) =>
        library.inSavepoint(transaction, (savepoint) => add(savepoint, text)),
      );
      expect(await database.isStored(text)).toBe(true);
    });

    it('leaves nothing of a released savepoint when it is rolled back', async () => {
      const [text] = newTexts();
      await expect(
        library.inTransaction(async (transaction) => {
          await library.inSavepoint(transaction, (savepoint) => add(savepoint, text));
          throw new Error('rolled back');
        }),
      ).rejects.toThrow('rolled back');
      expect(await database.isStored(text)).toBe(false);
    });

    // PGlite has no other connection to look from.
    if (!kind.isEmbedded)
      it('is seen by nobody else before its commit', async () => {
        const [text] = newTexts();
        await library.inTransaction(async (transaction) => {
          await add(transaction, text);
          expect(await database.isStored(text)).toBe(false);
        });
        expect(await database.isStored(text)).toBe(true);
      });

    it('takes several at once', async () => {
      const texts = newTexts();
      await library.inTransaction((transaction) => Promise.all(texts.map((text) => add(transaction, text))));
      expect(await areStored(texts)).toEqual([true, true, true]);
    });

    it('fails what it takes behind a statement of the same moment that fails', async () => {
      const [before, after] = newTexts();
      let answers: unknown;
      const broken = library.inTransaction(async (transaction) => {
        answers = await Promise.allSettled([
          add(transaction, before),
          joinTransaction(transaction)(failingSql, ['']),
          add(transaction, after),
        ]);
        throw new Error('rolled back');
      });
      await expect(broken).rejects.toThrow(Error);
      const statuses = (answers as PromiseSettledResult<unknown>[]).map(({ status }) => status);
      expect(statuses).toEqual(['fulfilled', 'rejected', 'rejected']);
      expect(await areStored([before, after])).toEqual([false, false]);
    });

    it.each(Object.entries(oddTexts))('takes and answers %s byte for byte', async (_, text) => {
      await library.inTransaction(async (transaction) => {
        expect(await add(transaction, text)).toEqual([{ answer: text }]);
      });
      expect(await database.isStored(text)).toBe(true);
    });

    it('takes and answers a long text', async () => {
      const text = randomUUID().repeat(10_000);
      await library.inTransaction(async (transaction) => {
        expect(await add(transaction, text)).toEqual([{ answer: text }]);
      });
      expect(await database.isStored(text)).toBe(true);
    });

    it('gives each of several values its place', async () => {
      await library.inTransaction(async (transaction) => {
        const run = joinTransaction(transaction);
        const sql = "SELECT $2 || '?' || $1 || $2 || $1::text AS answer";
        expect(await run(sql, ['a', 'b'])).toEqual([{ answer: 'b?aba' }]);
      });
    });

    it('goes on after a statement that failed in a savepoint, and says how it failed', async () => {
      const [text] = newTexts();
      let failure: unknown;
      await library.inTransaction(async (transaction) => {
        await library
          .inSavepoint(transaction, (savepoint) => joinTransaction(savepoint)(failingSql, ['']))
          .catch((error: unknown) => (failure = error));
        await add(transaction, text);
      });
      expect(inspect(failure, { depth: 10 })).toContain('division by zero');
      expect(await database.isStored(text)).toBe(true);
    });

    it('says so when an earlier statement has broken it', async () => {
      const [text] = newTexts();
      let failure: unknown;
      const broken = library.inTransaction(async (transaction) => {
        const run = joinTransaction(transaction);
        await run(failingSql, ['']).catch(() => {});
        await add(transaction, text).catch((error: unknown) => (failure = error));
        throw new Error('rolled back');
      });
      await expect(broken).rejects.toThrow(Error);
      expect(inspect(failure, { depth: 10 })).toContain('current transaction is aborted');
      expect(await database.isStored(text)).toBe(false);
    });

    it.each(['committed', 'rolled back'])('takes nothing more once it was %s', async (end) => {
      const [within, joinedBefore, joinedAfter] = newTexts();
      let transaction: unknown;
      let run: ReturnType<typeof joinTransaction>;
      await library
        .inTransaction(async (given) => {
          transaction = given;
          run = joinTransaction(given);
          await add(given, within);
          if (end === 'rolled back') throw new Error(end);
        })
        .catch((error: Error) => expect(error.message).toBe(end));
      const sql = `SELECT "${database.schema}".add_v1($1) AS answer`;
      const refusal = library.ended ?? UnsupportedTransactionError;
      await expect(run!(sql, [joinedBefore])).rejects.toThrow(refusal);
      await expect(add(transaction, joinedAfter)).rejects.toThrow(refusal);
      expect(await areStored([within, joinedBefore, joinedAfter])).toEqual([
        end === 'committed',
        false,
        false,
      ]);
    });

    it('is known to one adapter alone', async () => {
      await library.inTransaction(async (transaction) => {
        const knowing = transactionAdapters.filter((adapter) => adapter.join(transaction));
        expect(knowing.map((adapter) => adapter.name)).toHaveLength(1);
      });
    });

    it('is not what the library has besides: that is refused, with the reason', async () => {
      for (const [what, [given, reason]] of Object.entries(library.notTransactions)) {
        const [text] = newTexts();
        const refused: unknown = await add(given, text).catch((error: unknown) => error);
        expect([what, refused]).toEqual([what, expect.any(UnsupportedTransactionError)]);
        expect((refused as Error).message).toContain(reason);
        expect(await database.isStored(text)).toBe(false);
      }
    });
  });
}
