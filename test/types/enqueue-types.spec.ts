import { describe, expect, it } from '@jest/globals';
import { IsEmail, IsOptional, IsString } from 'class-validator';
import { Job, type Bulk, type JobHandler, type JobQueue, type ParamsOf, type Task } from 'nestjs-jobs';
import * as v from 'valibot';
import { z } from 'zod';

// `tsc -p .` is what checks this file: each `@ts-expect-error` fails it where the line below compiles.

class Welcome {
  @IsEmail() to!: string;
  @IsOptional() @IsString() from?: string = 'no-reply@example.com';
}

@Job({ params: Welcome, queue: 'mail' })
class SendWelcome implements JobHandler<Welcome> {
  run(_params: Welcome, _task: Task) {}
}

@Job()
class Prune {
  run() {}
}

@Job()
class PruneWithTask implements JobHandler {
  run(_: void, _task: Task) {}
}

@Job()
class Count {
  run(_limit?: number) {}
}

@Job()
class CountOrNot {
  run(_limit: number | undefined, _task: Task<number | undefined>) {}
}

const order = z.object({ n: z.string().transform(Number), tag: z.string().default('none') });
type OrderIn = z.input<typeof order>;
type Order = z.output<typeof order>;

@Job({ params: order })
class Ship implements JobHandler<Order, void, OrderIn> {
  run(_order: Order, _task: Task<Order, OrderIn>) {}
}

const note = z.object({ text: z.string() }).optional();

@Job({ params: note })
class Note {
  run(_note: z.output<typeof note>, _task: Task<z.output<typeof note>, z.input<typeof note>>) {}
}

@Job({ params: v.object({ text: v.string() }) })
class NoteByValibot {
  run(_note: { text: string }) {}
}

/** Never called: what counts is whether it compiles. */
async function calls(jobs: JobQueue, bulk: Bulk) {
  // With params.
  await jobs.enqueue(SendWelcome, { to: 'a@example.com' });
  await jobs.enqueue(SendWelcome, { to: 'a@example.com', from: undefined }, { in: '5m' });
  bulk.enqueue(SendWelcome, { to: 'a@example.com' }, { id: 'x' });
  // @ts-expect-error params are missing
  await jobs.enqueue(SendWelcome);
  // @ts-expect-error params are missing
  bulk.enqueue(SendWelcome);
  // @ts-expect-error a property is missing
  await jobs.enqueue(SendWelcome, {});
  // @ts-expect-error a property has another type
  await jobs.enqueue(SendWelcome, { to: 5 });
  // @ts-expect-error a property is unknown
  await jobs.enqueue(SendWelcome, { to: 'a@example.com', form: 'b@example.com' });
  // @ts-expect-error a property is unknown
  bulk.enqueue(SendWelcome, { to: 'a@example.com', form: 'b@example.com' });
  // @ts-expect-error undefined is not what run takes
  await jobs.enqueue(SendWelcome, undefined);

  // Without.
  await jobs.enqueue(Prune);
  await jobs.enqueue(Prune, undefined, { in: 1 });
  await jobs.enqueue(PruneWithTask);
  await jobs.enqueue(PruneWithTask, undefined, { in: 1 });
  bulk.enqueue(Prune);
  // @ts-expect-error it takes none
  await jobs.enqueue(Prune, { any: 1 });
  // @ts-expect-error it takes none
  await jobs.enqueue(PruneWithTask, { any: 1 });
  // @ts-expect-error options are the third argument
  await jobs.enqueue(Prune, { in: 1 });

  // Optional.
  await jobs.enqueue(Count);
  await jobs.enqueue(Count, 5);
  await jobs.enqueue(Count, undefined, { in: 1 });
  await jobs.enqueue(CountOrNot);
  await jobs.enqueue(CountOrNot, 5);
  // @ts-expect-error of another type
  await jobs.enqueue(Count, '5');
  // @ts-expect-error of another type
  await jobs.enqueue(CountOrNot, '5');

  // By a schema: what goes in, not what comes out.
  await jobs.enqueue(Ship, { n: '5' });
  await jobs.enqueue(Ship, { n: '5', tag: 'x' });
  bulk.enqueue(Ship, { n: '5' });
  // @ts-expect-error that comes out
  await jobs.enqueue(Ship, { n: 5, tag: 'x' });
  // @ts-expect-error params are missing
  await jobs.enqueue(Ship);
  await jobs.enqueue(Note);
  await jobs.enqueue(Note, { text: 'x' });
  // @ts-expect-error of another type
  await jobs.enqueue(Note, { text: 5 });
  await jobs.enqueue(NoteByValibot, { text: 'x' });
  // @ts-expect-error of another type
  await jobs.enqueue(NoteByValibot, { text: 5 });

  // Options.
  await jobs.enqueue(Prune, undefined, {
    id: 'x',
    replace: true,
    at: new Date(),
    queue: 'q',
    priority: 1,
    retries: ['1s', 2],
    timeout: '1s',
    expires: new Date(),
    keep: '1mo',
  });
  // @ts-expect-error unknown
  await jobs.enqueue(Prune, undefined, { delay: '5m' });
  // @ts-expect-error of another type
  await jobs.enqueue(Prune, undefined, { priority: '1' });
  // @ts-expect-error of another type
  await jobs.enqueue(Prune, undefined, { at: '2030-01-01' });
  // @ts-expect-error of another type
  await jobs.enqueue(Prune, undefined, { backoff: { type: 'cubic', delay: 1 } });

  // Jobs.
  class NoJob {
    go() {}
  }
  // @ts-expect-error it has no run
  await jobs.enqueue(NoJob);
  // @ts-expect-error a job is named by its class
  await jobs.enqueue('Prune');

  // Results.
  const { status, id, queue } = await jobs.enqueue(Prune);
  const known: 'enqueued' | 'existing' | 'replaced' | 'rejected' | 'vetoed' = status;
  const all: { id: string }[] = await jobs.bulk(async (one) => one.enqueue(Prune));
  return [known, id satisfies string, queue satisfies string, all];
}

function declarations() {
  // @ts-expect-error run takes something else than the class says
  @Job({ params: Welcome })
  class OtherParams {
    run(_params: { to: number }) {}
  }

  // @ts-expect-error run takes something else than the schema puts out
  @Job({ params: order })
  class OtherOutput {
    run(_order: OrderIn) {}
  }

  // @ts-expect-error a job has a method run
  @Job()
  class NoRun {}

  // @ts-expect-error a job has a method run
  @Job({ params: Welcome })
  class NoRunEither {}

  // @ts-expect-error unknown
  @Job({ queues: 'mail' })
  class UnknownOption {
    run() {}
  }

  // @ts-expect-error an id belongs to a task, not to a job
  @Job({ id: 'x' })
  class WithId {
    run() {}
  }

  // @ts-expect-error of another type
  @Job({ retries: '4' })
  class OtherType {
    run() {}
  }

  @Job({ params: Welcome })
  class Narrower {
    run(_params: Pick<Welcome, 'to'>, _task: Task<Welcome>) {}
  }

  @Job({ backoff: (failures, error) => (error instanceof Error ? failures * 1_000 : '1s'), in: '1m' })
  class WithRules implements JobHandler {
    run() {}
    retryDelay(failures: number, _error: unknown) {
      return failures;
    }
    shouldRetry() {
      return true;
    }
    beforeEnqueue(_task: Task<void>) {
      return false;
    }
    async afterRun(_success: boolean, { willRetry, error, result }: Task<void>) {
      return void [willRetry, error, result];
    }
  }
  const all: unknown[] = [OtherParams, OtherOutput, NoRun, NoRunEither, UnknownOption];
  return [...all, WithId, OtherType, Narrower, WithRules];
}

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** What `enqueue` takes for each kind of job. */
const takes: [
  Same<ParamsOf<typeof SendWelcome>, Welcome>,
  Same<ParamsOf<typeof Prune>, undefined>,
  Same<ParamsOf<typeof Count>, number | undefined>,
  Same<ParamsOf<typeof CountOrNot>, number | undefined>,
  Same<ParamsOf<typeof Ship>, OrderIn>,
  Same<ParamsOf<typeof Note>, { text: string } | undefined>,
  Same<ParamsOf<typeof NoteByValibot>, { text: string }>,
] = [true, true, true, true, true, true, true];

describe('The types of enqueue', () => {
  it('are checked by the compiler; at run time every class above is what its declaration made it', () => {
    expect(takes).not.toContain(false);
    expect(calls).toBeInstanceOf(Function);
    expect(declarations()).toHaveLength(9);
  });
});
