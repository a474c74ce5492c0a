import { describe, expect, it } from '@jest/globals';
import { Job, Periodic, type JobHandler, type JobQueue } from 'nestjs-jobs';

// `tsc -p .` is what checks this file: each `@ts-expect-error` fails it where the line below compiles.

interface Order {
  readonly shop: number;
}

@Job({ unique: { lock: 'until_completed', by: ({ shop }: Order) => shop % 5 } })
class Ship implements JobHandler<Order> {
  run(_order: Order) {}
}

/** Never called: what counts is whether it compiles. */
export async function calls(jobs: JobQueue) {
  await jobs.enqueue(Ship, { shop: 1 }, { unique: false });
  await jobs.enqueue(Ship, { shop: 1 }, { unique: { onConflict: 'raise' } });
  await jobs.enqueue(Ship, { shop: 1 }, { unique: { by: ['shop'], ttl: '1m', group: 'a' } });
  // @ts-expect-error: no such lock
  await jobs.enqueue(Ship, { shop: 1 }, { unique: { lock: 'until_excuted' } });
  // @ts-expect-error: no such conflict
  await jobs.enqueue(Ship, { shop: 1 }, { unique: { onConflict: 'ignore' } });
  // @ts-expect-error: no such option
  await jobs.enqueue(Ship, { shop: 1 }, { unique: { onConflct: 'raise' } });
  // @ts-expect-error: true says nothing
  await jobs.enqueue(Ship, { shop: 1 }, { unique: true });
  const { status, holder } = await jobs.enqueue(Ship, { shop: 1 });
  return [status === 'rejected', holder?.length];
}

function declarations() {
  // @ts-expect-error: a job says its lock
  @Job({ unique: { onConflict: 'raise' } })
  class NoLock {
    run() {}
  }
  // @ts-expect-error: a misspelled lock
  @Periodic('1m', { unique: { lock: 'until_excuted' } })
  class Misspelled {
    run() {}
  }
  @Job({ unique: { lock: 'until_executed' } })
  class OtherParams implements JobHandler<Order> {
    run(_order: Order) {}
    // @ts-expect-error: it gets the params of run
    uniqueBy(shop: number) {
      return shop;
    }
  }
  return [NoLock, Misspelled, OtherParams];
}

describe('The types of unique jobs', () => {
  it('are checked by the compiler; at run time every class above is what its declaration made it', () => {
    expect(calls).toBeInstanceOf(Function);
    expect(declarations()).toHaveLength(3);
  });
});
