import { describe, expect, it } from '@jest/globals';
import { Inject, Injectable, Scope } from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import {
  Cron,
  InvalidOptionError,
  Job,
  JobNotProvidedError,
  Periodic,
  type JobHandler,
  type Task,
  type UniqueOptions,
} from 'nestjs-jobs';
import { Type } from 'class-transformer';
import { IsInt, IsString } from 'class-validator';
import * as v from 'valibot';
import { z } from 'zod';
import { yearly } from './fixtures/recurring.js';
import { start } from './fixtures/start.js';

type Class = new (...args: never[]) => object;

const onlyEnqueues = { runner: false } as const;
const until = (more: object = {}) => ({ lock: 'until_completed', ...more }) as UniqueOptions;

/** A class of this name with these options. */
function declared(unique: unknown, more: object = {}): Class {
  @Job({ name: 'charge', unique: unique as UniqueOptions, ...more })
  class Charge {
    run(): void {}
  }
  return Charge;
}

async function refusal(...providers: Class[]): Promise<unknown> {
  return start({ providers }).then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('A unique job that is wrong stops the start', () => {
  it.each<[string, object, string]>([
    [
      'a misspelled lock',
      { lock: 'until_excuted' },
      'unique.lock is "until_excuted", but must be one of until_',
    ],
    ['no lock', { onConflict: 'raise' }, 'unique.lock is undefined, but must be one of until_executing'],
    [
      'a misspelled conflict',
      until({ onConflict: 'ignore' }),
      'unique.onConflict is "ignore", but must be one of',
    ],
    [
      'a misspelled option',
      until({ onConflit: 'raise' }),
      'unique.onConflit is "raise", but must be left out',
    ],
    [
      'a conflict that its lock does not have',
      until({ onConflict: 'reschedule' }),
      `unique.onConflict is "reschedule", but must be 'reject', 'raise' or 'replace' with until_completed`,
    ],
    [
      'a replacement of what runs',
      { lock: 'while_executing', onConflict: 'replace' },
      `unique.onConflict is "replace", but must be 'reject', 'raise' or 'reschedule' with while_executing`,
    ],
    ['a time to live of nothing', until({ ttl: 0 }), 'unique.ttl is 0, but must be more than 0'],
    [
      'a ttl that cannot be',
      { lock: 'while_executing', ttl: '1m' },
      'unique.ttl is "1m", but must be left out',
    ],
    [
      'a retryAfter that cannot be',
      until({ retryAfter: '1s' }),
      'unique.retryAfter is "1s", but must be left out',
    ],
    ['text for by', until({ by: 'user' }), 'unique.by is "user", but must be names of params'],
    ['an empty group', until({ group: '' }), 'unique.group is "", but must be text'],
  ])('by %s, in a sentence that names the class', async (_, unique, message) => {
    const error = await refusal(declared(unique));
    expect(error).toBeInstanceOf(InvalidOptionError);
    expect((error as Error).message).toMatch(/^Charge: unique\./);
    expect((error as Error).message).toContain(message);
  });

  describe('by a name in `by` that no param has', () => {
    class OwnerParams {
      @IsInt() owner!: number;
    }
    class ChargeParams extends OwnerParams {
      @IsString() name!: string;
      @Type(() => Date) on?: Date;
      cents = 100;
      get initial(): string {
        return this.name.slice(0, 1);
      }
    }
    const withBy = (by: string[], params: unknown) => declared(until({ by }), { params });

    it('of a class with decorators, and names the class and the name', async () => {
      const error = (await refusal(withBy(['ownr', 'name'], ChargeParams))) as Error;
      expect(error).toBeInstanceOf(InvalidOptionError);
      expect(error.message).toBe(
        `Charge: unique.by is ["ownr","name"], but must be names of params: ChargeParams has no 'ownr', only name, on, owner, cents; ` +
          'a property without a decorator is not known: give it one, such as @Allow()',
      );
      expect(((await refusal(withBy(['toString'], ChargeParams))) as Error).message).toContain(
        `no 'toString'`,
      );
    });

    it('but none that is decorated, inherited, has a value or is a getter', async () => {
      expect(
        await refusal(withBy(['owner', 'name', 'on', 'cents', 'initial'], ChargeParams)),
      ).toBeUndefined();
    });

    it('but none of a class that says nothing of its properties', async () => {
      class Bare {
        declare user: string;
      }
      expect(await refusal(withBy(['usr'], Bare))).toBeUndefined();
    });

    it('of a schema that tells what comes out of it, and that nothing else does', async () => {
      const schema = z.object({ user: z.string(), note: z.string().default('-') });
      const error = (await refusal(withBy(['usr', 'nte', 'note'], schema))) as Error;
      expect(error.message).toBe(
        `Charge: unique.by is ["usr","nte","note"], but must be names of params: the schema has no 'usr', 'nte', only user, note`,
      );
      expect(await refusal(withBy(['user', 'note'], schema))).toBeUndefined();
    });

    it.each<[string, unknown]>([
      ['a zod schema that takes others', z.looseObject({ user: z.string() })],
      ['a zod schema with a date', z.object({ user: z.string(), on: z.coerce.date() })],
      ['a zod schema that transforms', z.object({ user: z.string() }).transform((value) => value)],
      ['a valibot schema', v.object({ user: v.string() })],
    ])('but none of %s, whose names cannot be known', async (_, schema) => {
      expect(await refusal(withBy(['usr'], schema))).toBeUndefined();
    });

    it('and rejects the call that has one', async () => {
      const Charge = withBy(['name'], ChargeParams) as new () => { run(): void };
      const app = await start({ providers: [Charge] });
      const call = (by: string[]) =>
        app.jobs.enqueue(Charge, { owner: 1, name: 'ada' } as never, { unique: { by } });
      await expect(call(['ownr', 'name'])).rejects.toThrow(`Charge: unique.by is ["ownr","name"]`);
      expect(await call(['owner'])).toMatchObject({ status: 'enqueued' });
    });
  });

  it('by a decorator of recurring work, too', async () => {
    @Periodic('1m', { unique: { lock: 'until_ever' as never } })
    class Beat {
      run(): void {}
    }
    class Host {
      @Cron(yearly, { unique: { lock: 'while_executing', onConflict: 'replace' } })
      report(): void {}
    }
    Injectable()(Host);
    expect(((await refusal(Beat)) as Error).message).toMatch(/^Beat: unique\.lock is "until_ever"/);
    expect(((await refusal(Host)) as Error).message).toMatch(
      /^Host\.report: unique\.onConflict is "replace"/,
    );
  });

  it('by the module’s lockTtl', async () => {
    await expect(start({ options: { lockTtl: 'long' } })).rejects.toThrow(
      'JobsModule.forRoot: lockTtl is "long"',
    );
  });

  it('and rejects the call that says it', async () => {
    const Charge = declared(undefined) as new () => { run(): void };
    const app = await start({ providers: [Charge] });
    const call = (unique: object) => app.jobs.enqueue(Charge, undefined, { unique });
    await expect(call({ lock: 'until_excuted' })).rejects.toThrow('Charge: unique.lock is "until_excuted"');
    await expect(call({ onConflict: 'raise' })).rejects.toThrow('Charge: unique.lock is undefined');
    await expect(call(until({ onConflict: 'reschedule' }))).rejects.toThrow('Charge: unique.onConflict is');
    expect(await app.catalog.counts('default')).toMatchObject({ waiting: 0, pending: 0 });
  });
});

describe('A group', () => {
  const jobs = (queues: [string, string], more: object[] = [{}, {}]) => {
    @Job({ queue: queues[0], unique: until({ group: 'money', ...more[0] }) })
    class Charge implements JobHandler<{ user: string }> {
      run(_params: { user: string }): void {}
    }
    @Job({ queue: queues[1], unique: until({ group: 'money', ...more[1] }) })
    class Refund implements JobHandler<{ user: string }> {
      run(_params: { user: string }): void {}
    }
    return { Charge, Refund };
  };

  it('shares its keys among the jobs of one queue', async () => {
    const { Charge, Refund } = jobs(['bank', 'bank']);
    const app = await start({ providers: [Charge, Refund], options: onlyEnqueues });
    const { id } = await app.jobs.enqueue(Charge, { user: 'ada' });
    expect(await app.jobs.enqueue(Refund, { user: 'ada' })).toMatchObject({ status: 'rejected', holder: id });
    expect(await app.jobs.enqueue(Refund, { user: 'grace' })).toMatchObject({ status: 'enqueued' });
  });

  it('goes by the lock of whoever holds it, and the conflict of whoever comes', async () => {
    const { Charge, Refund } = jobs(['bank', 'bank'], [{ lock: 'until_executing' }, { onConflict: 'raise' }]);
    const app = await start({ providers: [Charge, Refund], options: { runner: { autoStart: false } } });
    await app.jobs.enqueue(Charge, { user: 'ada' }, { id: 'charge' });
    await expect(app.jobs.enqueue(Refund, { user: 'ada' }, { id: 'refund' })).rejects.toMatchObject({
      ...{ code: 'LOCK_CONFLICT', job: 'Refund', id: 'refund', holder: 'charge' },
    });
  });

  it('over two queues stops the start with both classes and queues', async () => {
    const { Charge, Refund } = jobs(['bank', 'shop']);
    const error = (await refusal(Charge, Refund)) as Error;
    expect(error).toBeInstanceOf(InvalidOptionError);
    expect(error.message).toMatch(/^Refund: unique\.group is "money".*'shop'.*Charge.*'bank'/);
  });

  it('over two queues rejects the call where the process only enqueues and provides neither class', async () => {
    const { Charge, Refund } = jobs(['bank', 'shop']);
    const app = await start({ options: onlyEnqueues });
    expect(await app.jobs.enqueue(Charge, { user: 'ada' })).toMatchObject({ status: 'enqueued' });
    for (let times = 0; times < 2; times++)
      await expect(app.jobs.enqueue(Refund, { user: 'ada' })).rejects.toThrow(
        /^Refund: unique\.group is "money".*'shop'.*Charge.*'bank'/,
      );
    expect(await app.jobs.enqueue(Charge, { user: 'grace' })).toMatchObject({ status: 'enqueued' });
  });

  describe('that a call names', () => {
    const startShop = async (queues: [string, string]) => {
      @Job({ queue: queues[0] })
      class Pay implements JobHandler<{ user: string }> {
        run(_params: { user: string }): void {}
      }
      @Job({ queue: queues[1] })
      class Send implements JobHandler<{ user: string }> {
        run(_params: { user: string }): void {}
      }
      const { Charge } = jobs(['bank', 'bank']);
      const app = await start({ providers: [Charge], options: onlyEnqueues });
      return { app, Pay, Send, Charge };
    };
    const inGroup = (group: string, more: object = {}) => ({ unique: until({ group, ...more }) });

    it('shares its keys among the jobs of one queue', async () => {
      const { app, Pay, Send } = await startShop(['shop', 'shop']);
      const { id } = await app.jobs.enqueue(Pay, { user: 'ada' }, inGroup('goods'));
      expect(await app.jobs.enqueue(Send, { user: 'ada' }, inGroup('goods'))).toMatchObject({ holder: id });
    });

    it('is not in another queue than that of a job which has it in its code', async () => {
      const { app, Pay } = await startShop(['shop', 'shop']);
      const enqueuing = app.jobs.enqueue(Pay, { user: 'ada' }, inGroup('money'));
      await expect(enqueuing).rejects.toThrow(InvalidOptionError);
      await expect(enqueuing).rejects.toThrow(
        /^Pay: unique\.group is "money".*Pay is in 'shop'.*Charge in 'bank'/,
      );
      expect(await app.catalog.counts('shop')).toMatchObject({ waiting: 0 });
      const call = { ...inGroup('money'), queue: 'bank' };
      expect(await app.jobs.enqueue(Pay, { user: 'ada' }, call)).toMatchObject({ status: 'enqueued' });
    });

    it('is not in another queue than that of the call which named it first', async () => {
      const { app, Pay, Send } = await startShop(['shop', 'post']);
      await app.jobs.enqueue(Pay, { user: 'ada' }, inGroup('goods'));
      await expect(app.jobs.enqueue(Send, { user: 'ada' }, inGroup('goods'))).rejects.toThrow(
        /^Send: unique\.group is "goods".*Send is in 'post'.*Pay in 'shop'/,
      );
      expect(await app.jobs.enqueue(Send, { user: 'ada' }, inGroup('other'))).toMatchObject({
        status: 'enqueued',
      });
      await expect(
        app.jobs.bulk((bulk) => {
          bulk.enqueue(Pay, { user: 'grace' });
          bulk.enqueue(Send, { user: 'grace' }, inGroup('goods'));
        }),
      ).rejects.toThrow(/^Send: unique\.group/);
      expect(await app.catalog.counts('shop')).toMatchObject({ waiting: 1 });
    });

    it('is checked also for a job in whose code it stands, but which this process does not provide', async () => {
      const { app } = await startShop(['shop', 'shop']);
      const { Refund } = jobs(['bank', 'till']);
      await expect(app.jobs.enqueue(Refund, { user: 'ada' })).rejects.toThrow(
        /^Refund: unique\.group is "money".*'till'.*'bank'/,
      );
    });

    it('may be in several queues for one job alone, each with locks of its own', async () => {
      const { app, Charge } = await startShop(['shop', 'shop']);
      const { id } = await app.jobs.enqueue(Charge, { user: 'ada' });
      expect(await app.jobs.enqueue(Charge, { user: 'ada' }, { queue: 'till' })).toMatchObject({
        status: 'enqueued',
      });
      expect(await app.jobs.enqueue(Charge, { user: 'ada' })).toMatchObject({ holder: id });
    });
  });

  it('does not join jobs that are not in it', async () => {
    const { Charge } = jobs(['bank', 'bank']);
    @Job({ name: 'money', queue: 'bank', unique: until() })
    class Other implements JobHandler<{ user: string }> {
      run(_params: { user: string }): void {}
    }
    const app = await start({ providers: [Charge, Other], options: onlyEnqueues });
    await app.jobs.enqueue(Charge, { user: 'ada' });
    expect(await app.jobs.enqueue(Other, { user: 'ada' })).toMatchObject({ status: 'enqueued' });
  });
});

describe('The method uniqueBy', () => {
  interface Order {
    readonly shop: number;
    readonly item: string;
  }

  it('says what makes two tasks the same, before unique.by, sync or async', async () => {
    @Injectable()
    class Shops {
      owner(shop: number): number {
        return shop % 10;
      }
    }
    @Job({ unique: until({ by: ['item'] }) })
    class Ship implements JobHandler<Order> {
      constructor(private readonly shops: Shops) {}
      uniqueBy({ shop }: Order): unknown {
        return { owner: this.shops.owner(shop) };
      }
      run(_params: Order): void {}
    }
    @Job({ unique: until() })
    class ShipLater implements JobHandler<Order> {
      constructor(private readonly shops: Shops) {}
      async uniqueBy({ shop }: Order): Promise<unknown> {
        await Promise.resolve();
        return this.shops.owner(shop);
      }
      run(_params: Order): void {}
    }
    const app = await start({ providers: [Shops, Ship, ShipLater], options: onlyEnqueues });
    for (const job of [Ship, ShipLater]) {
      const { id } = await app.jobs.enqueue(job, { shop: 12, item: 'pen' });
      expect(await app.jobs.enqueue(job, { shop: 2, item: 'ink' })).toMatchObject({ holder: id });
      expect(await app.jobs.enqueue(job, { shop: 3, item: 'pen' })).toMatchObject({ status: 'enqueued' });
    }
    const answers = await app.jobs.bulk((bulk) => {
      for (const shop of [24, 4]) bulk.enqueue(ShipLater, { shop, item: 'pen' });
    });
    expect(answers.map(({ status }) => status)).toEqual(['enqueued', 'rejected']);
  });

  it('belongs to an instance of its own where the job is request-scoped, with the task as its request', async () => {
    const seen: unknown[] = [];
    @Job({ unique: until(), scope: Scope.REQUEST })
    class Scoped implements JobHandler<Order> {
      constructor(@Inject(REQUEST) private readonly task: Task<Order>) {}
      uniqueBy({ shop }: Order): unknown {
        seen.push([this.task.id, this.task.params.item]);
        return shop;
      }
      run(_params: Order): void {}
    }
    const app = await start({ providers: [Scoped], options: onlyEnqueues });
    await app.jobs.enqueue(Scoped, { shop: 1, item: 'pen' }, { id: 'one' });
    expect(await app.jobs.enqueue(Scoped, { shop: 1, item: 'ink' }, { id: 'two' })).toMatchObject({
      ...{ status: 'rejected', holder: 'one' },
    });
    expect(seen).toEqual([
      ['one', 'pen'],
      ['two', 'ink'],
    ]);
  });

  it('rejects the enqueue where it throws or answers nothing, and nothing is stored', async () => {
    const answers: (Error | undefined)[] = [new Error('no such shop'), undefined];
    @Job({ unique: until() })
    class Moody implements JobHandler<Order> {
      uniqueBy(): unknown {
        const answer = answers.shift();
        if (answer) throw answer;
        return answer;
      }
      run(_params: Order): void {}
    }
    const app = await start({ providers: [Moody], options: onlyEnqueues });
    const order = { shop: 1, item: 'pen' };
    await expect(app.jobs.enqueue(Moody, order)).rejects.toThrow('no such shop');
    await expect(app.jobs.enqueue(Moody, order)).rejects.toThrow('Moody: uniqueBy is undefined');
    expect(await app.catalog.counts('default')).toMatchObject({ waiting: 0 });
  });

  it('is not asked where the task is not unique', async () => {
    @Job()
    class Plain implements JobHandler<Order> {
      uniqueBy(): unknown {
        throw new Error('not asked');
      }
      run(_params: Order): void {}
    }
    const app = await start({ providers: [Plain], options: onlyEnqueues });
    expect(await app.jobs.enqueue(Plain, { shop: 1, item: 'pen' })).toMatchObject({ status: 'enqueued' });
  });

  it('needs an instance: a process that does not provide the class is told so', async () => {
    @Job({ unique: until() })
    class Ship implements JobHandler<Order> {
      uniqueBy({ shop }: Order): unknown {
        return shop;
      }
      run(_params: Order): void {}
    }
    const app = await start({ options: onlyEnqueues });
    const enqueuing = app.jobs.enqueue(Ship, { shop: 1, item: 'pen' });
    await expect(enqueuing).rejects.toThrow(JobNotProvidedError);
    await expect(enqueuing).rejects.toThrow(/Ship.*uniqueBy/);
  });
});

describe('A unique job that a process only enqueues', () => {
  it('has the same keys as where it is provided', async () => {
    @Job({ unique: until({ by: ({ shop }: { shop: number }) => shop % 10, onConflict: 'raise', ttl: '1h' }) })
    class Ship implements JobHandler<{ shop: number }> {
      run(_params: { shop: number }): void {}
    }
    const worker = await start({ providers: [Ship], options: { runner: { autoStart: false } } });
    const web = await start({ beside: worker, options: onlyEnqueues });
    const { id } = await web.jobs.enqueue(Ship, { shop: 12 });
    await expect(worker.jobs.enqueue(Ship, { shop: 2 })).rejects.toMatchObject({ holder: id });
  });
});

describe('A unique job with a schema', () => {
  it('has its key from the output, and stores the input', async () => {
    const schema = z.object({ to: z.string().trim().toLowerCase(), note: z.string().default('-') });
    @Job({ params: schema, unique: until() })
    class Remind {
      run(
        _params: z.output<typeof schema>,
        _task: Task<z.output<typeof schema>, z.input<typeof schema>>,
      ): void {}
    }
    const app = await start({ providers: [Remind], options: onlyEnqueues });
    const { id } = await app.jobs.enqueue(Remind, { to: ' Ada ' });
    expect((await app.catalog.task(id))?.params).toEqual({ to: ' Ada ' });
    expect(await app.jobs.enqueue(Remind, { to: 'ada', note: '-' })).toMatchObject({ holder: id });
    expect(await app.jobs.enqueue(Remind, { to: 'ada', note: '!' })).toMatchObject({ status: 'enqueued' });
  });
});
