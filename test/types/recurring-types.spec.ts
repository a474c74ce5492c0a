import { describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { IsInt, IsOptional, IsString } from 'class-validator';
import {
  Cron,
  CronExpression,
  Job,
  Periodic,
  type JobHandler,
  type JobQueue,
  type RecurringOptions,
  type Task,
} from 'nestjs-jobs';
import * as v from 'valibot';
import { z } from 'zod';

// `tsc -p .` is what checks this file: each `@ts-expect-error` fails it where the line below compiles.

class Limit {
  @IsInt() limit!: number;
  @IsOptional() @IsString() note?: string = 'none';
}

const order = z.object({ n: z.string().transform(Number), tag: z.string().default('none') });
type OrderIn = z.input<typeof order>;
type Order = z.output<typeof order>;
const note = z.object({ text: z.string() }).optional();
const byValibot = v.object({ text: v.string() });

class Config {
  get(_name: string): string {
    return '0 8 * * *';
  }
}

@Periodic('1m')
class Prune {
  run() {}
}

@Cron(CronExpression.EVERY_YEAR, {
  timeZone: 'Africa/Accra',
  from: new Date(),
  for: '1y',
  missed: { all: 3 },
})
class WithTask implements JobHandler {
  run(_: void, _task: Task) {}
}

@Periodic(90_000, { params: Limit, with: { limit: 5 }, queue: 'slow', retries: ['1s'], overlap: 'replace' })
class ByClass implements JobHandler<Limit> {
  run(_params: Limit, _task: Task<Limit>) {}
}

@Cron('0 8 * * *', { params: order, with: { n: '5' } })
class BySchema implements JobHandler<Order, void, OrderIn> {
  run(_order: Order, _task: Task<Order, OrderIn>) {}
}

/** Never called: a recurring class is enqueued as any job. */
async function calls(jobs: JobQueue) {
  await jobs.enqueue(Prune);
  await jobs.enqueue(WithTask, undefined, { in: '1m' });
  await jobs.enqueue(ByClass, { limit: 1 });
  await jobs.enqueue(BySchema, { n: '1' });
  // @ts-expect-error params are missing
  await jobs.enqueue(ByClass);
  // @ts-expect-error that comes out
  await jobs.enqueue(BySchema, { n: 1, tag: 'x' });
}

function classes() {
  @Cron('0 8 * * *', { params: note })
  class WithoutNeed {
    run(_note: z.output<typeof note>) {}
  }

  @Cron('0 8 * * *', { params: byValibot, with: { text: 'x' } })
  class ByValibot {
    run(_note: { text: string }) {}
  }

  @Cron('0 8 * * *', { with: { limit: 5 } })
  class ByValue {
    run(_params: { limit: number; note?: string }, _task: Task) {}
  }

  @Periodic('1m')
  class Optional {
    run(_limit?: number) {}
  }

  @Periodic('1m', { params: Limit, with: { limit: 5 } })
  class Narrower {
    run(_params: Pick<Limit, 'limit'>) {}
  }

  // @ts-expect-error a job has a method run
  @Periodic('1m')
  class NoRun {}

  // @ts-expect-error run takes something else than the class says
  @Periodic('1m', { params: Limit, with: { limit: 5 } })
  class OtherParams {
    run(_params: { limit: string }) {}
  }

  // @ts-expect-error run takes something else than the schema puts out
  @Cron('0 8 * * *', { params: order, with: { n: '5' } })
  class OtherOutput {
    run(_order: OrderIn) {}
  }

  // @ts-expect-error `with` is what enqueue takes, not what comes out
  @Cron('0 8 * * *', { params: order, with: { n: 5, tag: 'x' } })
  class OutputForInput {
    run(_order: Order) {}
  }

  // @ts-expect-error a property has another type
  @Cron('0 8 * * *', { params: Limit, with: { limit: '5' } })
  class OtherWith {
    run(_params: Limit) {}
  }

  // @ts-expect-error a property is unknown
  @Cron('0 8 * * *', { params: Limit, with: { limit: 5, limits: 6 } })
  class UnknownWith {
    run(_params: Limit) {}
  }

  // @ts-expect-error `with` is missing
  @Cron('0 8 * * *', { params: Limit })
  class MissingWith {
    run(_params: Limit) {}
  }

  // @ts-expect-error `with` is missing
  @Cron('0 8 * * *', { params: order, queue: 'slow' })
  class MissingInput {
    run(_order: Order) {}
  }

  // @ts-expect-error run needs params, and there are none
  @Cron('0 8 * * *')
  class NothingForRun {
    run(_limit: number) {}
  }

  // @ts-expect-error run takes something else
  @Cron('0 8 * * *', { with: { limit: '5' } })
  class OtherValue {
    run(_params: { limit: number }) {}
  }

  // @ts-expect-error a time is given by the first argument
  @Periodic('1m', { in: '1m' })
  class WithIn {
    run() {}
  }

  // @ts-expect-error a schedule is named by its job
  @Periodic('1m', { id: 'x' })
  class WithId {
    run() {}
  }

  // @ts-expect-error unknown
  @Cron('0 8 * * *', { utcOffset: 2 })
  class UnknownOption {
    run() {}
  }

  // @ts-expect-error of another type
  @Cron('0 8 * * *', { missed: 'all' })
  class OtherType {
    run() {}
  }

  // @ts-expect-error a moment is no expression
  @Cron(new Date())
  class Once {
    run() {}
  }

  // @ts-expect-error of another type
  @Cron(5)
  class Five {
    run() {}
  }

  const good: unknown[] = [WithoutNeed, ByValibot, ByValue, Optional, Narrower];
  const bad: unknown[] = [
    NoRun,
    OtherParams,
    OtherOutput,
    OutputForInput,
    OtherWith,
    UnknownWith,
    MissingWith,
  ];
  return [
    ...good,
    ...bad,
    MissingInput,
    NothingForRun,
    OtherValue,
    WithIn,
    WithId,
    UnknownOption,
    OtherType,
    Once,
    Five,
  ];
}

function methods() {
  @Injectable()
  class Host {
    @Cron(CronExpression.MONDAY_TO_FRIDAY_AT_9AM)
    plain() {}

    @Cron('0 8 * * *', { name: 'notifications', disabled: false })
    async withTask(_: unknown, _task: Task): Promise<void> {}

    @Periodic('1m')
    private hidden(_limit?: number) {}

    @Periodic('1m', { params: Limit, with: { limit: 5 } })
    byClass(_params: Limit, _task: Task<Limit>) {}

    @Cron('0 8 * * *', { params: order, with: { n: '5' } })
    bySchema(_order: Order) {}

    @Cron('0 8 * * *', { with: [1, 2] })
    byValue(_ids: number[]) {}

    // @ts-expect-error the method takes something else than the class says
    @Cron('0 8 * * *', { params: Limit, with: { limit: 5 } })
    otherParams(_params: { limit: string }) {}

    // @ts-expect-error the method needs params, and there are none
    @Cron('0 8 * * *')
    nothing(_limit: number) {}

    // @ts-expect-error `with` is missing
    @Cron('0 8 * * *', { params: Limit })
    missing(_params: Limit) {}

    // @ts-expect-error unknown
    @Cron('0 8 * * *', { waitForCompletion: true })
    unknown() {}

    get all() {
      return [this.hidden];
    }
  }
  return Host;
}

const needed: { token: typeof Config; optional: true } = { token: Config, optional: true };

function factories() {
  class Host {
    @Cron({ inject: [Config], useFactory: (config) => config.get('CRON') })
    typed() {}

    @Cron({ inject: [Config, 'URL'], useFactory: async (config: Config, url: string) => config.get(url) })
    annotated() {}

    @Cron({ inject: [needed], useFactory: (config) => config?.get('CRON') ?? '@daily' }, { timeZone: 'UTC' })
    optional() {}

    @Periodic({ inject: [Config], useFactory: (config) => Number(config.get('MS')) }, { with: 1 })
    periodic(_n: number) {}

    @Cron({ useFactory: () => '@daily' }, { params: Limit, with: { limit: 1 } })
    bare(_params: Limit) {}

    // @ts-expect-error Config has no such method
    @Cron({ inject: [Config], useFactory: (config) => config.fetch('CRON') })
    wrong() {}

    // @ts-expect-error it may be absent
    @Cron({ inject: [needed], useFactory: (config) => config.get('CRON') })
    absent() {}

    // @ts-expect-error a cron text is no number
    @Cron({ useFactory: () => 5 })
    number() {}
  }
  return Host;
}

/** Templates: what a schedule takes is a default of any job. */
function templates() {
  @Job({ every: '10m', for: '1h', overlap: 'queue' })
  class Every {
    run() {}
  }
  @Job({ cron: '0 8 * * *', timeZone: 'Africa/Accra', until: new Date(), missed: 'skip' })
  class Daily {
    run() {}
  }
  const options: RecurringOptions = { timeZone: 'UTC', keep: '1d', name: 'x' };
  return [Every, Daily, options];
}

describe('The types of recurring decorators', () => {
  it('are checked by the compiler; at run time what they decorate is declared all the same', () => {
    expect(calls).toBeInstanceOf(Function);
    expect(classes()).toHaveLength(21);
    expect([methods(), factories(), ...templates()]).toHaveLength(5);
  });
});
