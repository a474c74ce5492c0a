import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { IsInt, IsString } from 'class-validator';
import { Job, memoryBackend, type Backend, type JobsOptions, type Task } from 'nestjs-jobs';
import { redisBackend } from 'nestjs-jobs/redis';
import { eventually, startApp, type TestApp } from '../support/app.js';
import { start } from './fixtures/start.js';
import { down, TroubledStore } from './fixtures/troubled-store.js';

/** A store that several applications of a test share. */
const stores: [string, () => () => Pick<JobsOptions, 'backend' | 'prefix'>][] = [
  [
    'memory',
    () => {
      const backend: Backend = memoryBackend();
      return () => ({ backend });
    },
  ],
  [
    'redis',
    () => {
      const prefix = `t${randomUUID().slice(0, 8)}`;
      return () => ({ backend: redisBackend({ url: process.env.TEST_REDIS_URL! }), prefix });
    },
  ],
];

const queue = 'default';
/** For what takes seconds on a machine that is at leisure. */
const patience = 90_000;

/** The job `Greet` as it was: it knows people by number. */
function oldCode() {
  const ran: string[] = [];
  class Params {
    @IsInt() person!: number;
  }
  @Job({ name: 'Greet', params: Params })
  class Greet {
    run(_: Params, { id }: Task): void {
      ran.push(id);
    }
  }
  return { ran, Greet };
}

/** The job `Greet` as it is now: it knows them by name. And a job that is new. */
function newCode() {
  const ran: { id: string; attempt: number }[] = [];
  class Params {
    @IsString() person!: string;
  }
  @Job({ name: 'Greet', params: Params })
  class Greet {
    run(_: Params, { id, attempt }: Task): void {
      ran.push({ id, attempt });
    }
  }
  @Job({ name: 'Remind' })
  class Remind {
    run(_: unknown, { id, attempt }: Task): void {
      ran.push({ id, attempt });
    }
  }
  return { ran, Greet, Remind, providers: [Greet, Remind] };
}

const parkedIn = async ({ catalog }: TestApp) => (await catalog.counts(queue)).parked;
const isIdle = async ({ catalog }: TestApp) => {
  const { waiting, scheduled, pending } = await catalog.counts(queue);
  return waiting + scheduled + pending === 0;
};

describe.each(stores)('old and new code side by side on %s', (_, shared) => {
  const setup = () => {
    const store = shared();
    const start = (
      providers: (new () => object)[],
      runner: JobsOptions['runner'] = { pollInterval: '100ms' },
    ) => startApp({ providers, options: { ...store(), runner }, realTime: true });
    return { start };
  };

  it('park what the old code does not know, at no cost, and the new code runs all of it', async () => {
    const { start } = setup();
    const { ran, Greet, Remind, providers } = newCode();
    const before = oldCode();
    const old = await start([before.Greet]);
    const web = await start([], false);
    const ids = Array.from({ length: 25 }, (_unused, index) => `remind ${index}`);
    for (const id of ids) await web.jobs.enqueue(Remind, { id }, { id });
    await web.jobs.enqueue(Greet, { person: 'ada' }, { id: 'greet ada' });
    await web.jobs.enqueue(before.Greet, { person: 1 }, { id: 'greet 1' });
    await eventually(async () => (await parkedIn(web)) === 26 && (await isIdle(web)));
    expect(before.ran).toEqual(['greet 1']);
    for (const [id, reason, paramsText] of [
      ['remind 7', 'unknown-job', '{"id":"remind 7"}'],
      ['greet ada', 'invalid-params', '{"person":"ada"}'],
    ])
      expect(await web.catalog.task(id!)).toMatchObject({ reason, paramsText, attempt: 0, failures: 0 });

    // The old code still runs, and knows these as little as before.
    await start(providers);
    await eventually(() => ids.every((id) => ran.some((run) => run.id === id)));
    await old.runner.stop();
    // What the first start took back may have been parked by the old code once more; now that is gone.
    await start(providers);
    await eventually(async () => (await parkedIn(web)) === 0 && (await isIdle(web)));
    expect(ran.toSorted(byId)).toEqual(['greet ada', ...ids].toSorted().map((id) => ({ id, attempt: 1 })));
  });

  it(
    'let a changed params class take back what the old one parked, thousands at ten a time',
    async () => {
      const { start } = setup();
      const { ran, Greet, providers } = newCode();
      const web = await start([], false);
      const total = 2_100;
      await web.jobs.bulk((bulk) => {
        for (let n = 0; n < total; n++) bulk.enqueue(Greet, { person: `person ${n}` }, { id: `greet ${n}` });
      });
      const old = await start([oldCode().Greet], { concurrency: 1_000 });
      await eventually(async () => (await parkedIn(web)) === total, patience);
      await old.runner.stop();

      const app = await start(providers, { concurrency: 10 });
      await eventually(() => ran.length >= total, patience);
      await eventually(async () => (await isIdle(app)) && (await parkedIn(app)) === 0, patience);
      expect(new Set(ran.map(({ id }) => id)).size).toBe(total);
      expect(ran).toHaveLength(total);
      expect(ran.every(({ attempt }) => attempt === 1)).toBe(true);
      expect(app.lines).toContainEqual(
        expect.objectContaining({
          level: 'log',
          message: expect.stringMatching(/^2100 parked tasks of queue default will be tried again/),
        }),
      );
    },
    3 * patience,
  );

  it('take nothing back at a further start of the same definition', async () => {
    const { start } = setup();
    const checks = countedChecks();
    const { Greet } = newCode();
    const web = await start([], false);
    await web.jobs.enqueue(Greet, { person: 'ada' });
    const first = await start([checks.job('v1')]);
    await eventually(async () => (await parkedIn(web)) === 1);
    await first.runner.stop();
    for (let starts = 0; starts < 3; starts++) {
      const again = await start([checks.job('v1'), checks.Marker]);
      await checks.marked(again);
      await again.runner.stop();
    }
    expect(checks.made).toEqual(['v1']);
    const other = await start([checks.job('v2')]);
    await eventually(() => checks.made.length > 1);
    await eventually(async () => (await parkedIn(web)) === 1);
    expect(checks.made).toEqual(['v1', 'v2']);
    await other.runner.stop();
  });

  it('do not pass a task to and fro that neither can take', async () => {
    const { start } = setup();
    const checks = countedChecks();
    const { Greet } = newCode();
    const web = await start([], false);
    await web.jobs.enqueue(Greet, { person: 'ada' }, { id: 'greet ada' });
    await start([checks.job('v1'), checks.Marker]);
    await eventually(async () => (await parkedIn(web)) === 1);
    const both = await start([checks.job('v2'), checks.Marker]);
    await eventually(() => checks.made.length === 2);
    // Several sweeps of both.
    for (let sweeps = 0; sweeps < 5; sweeps++) await checks.marked(both);
    expect(checks.made).toHaveLength(2);
    expect(await web.catalog.task('greet ada')).toMatchObject({
      state: 'parked',
      reason: 'invalid-params',
      params: { person: 'ada' },
      attempt: 0,
      failures: 0,
    });
  });

  it('run a task that was retried before the new code began once, and have nothing left to take back', async () => {
    const { start } = setup();
    const { ran, Greet, providers } = newCode();
    const web = await start([], false);
    await web.jobs.enqueue(Greet, { person: 'ada' }, { id: 'greet ada' });
    const old = await start([oldCode().Greet]);
    await eventually(async () => (await parkedIn(web)) === 1);
    await old.runner.stop();
    expect(await web.catalog.retry('greet ada')).toBe('done');
    await start(providers);
    await eventually(() => ran.length > 0);
    await eventually(() => isIdle(web));
    expect(ran).toEqual([{ id: 'greet ada', attempt: 1 }]);
  });
});

describe('a store that does not answer when a runner starts', () => {
  async function startTroubled() {
    const { ran, Greet, providers } = newCode();
    const old = await start({ providers: [oldCode().Greet] });
    const web = await start({ providers: [], beside: old, options: { runner: false } });
    await web.jobs.enqueue(Greet, { person: 'ada' });
    await old.advance(0);
    expect(await parkedIn(old)).toBe(1);
    await old.runner.stop();
    const troubled = new TroubledStore();
    troubled.trouble.unpark = down;
    const app = await start({ providers, beside: old, before: troubled.before });
    return { ran, app, troubled, advance: (ms: number) => old.advance(ms) };
  }

  it('is asked again, with pauses, until it has put back what is parked', async () => {
    const { ran, app, troubled, advance } = await startTroubled();
    await advance(60_000);
    expect(troubled.calls.unpark).toBeGreaterThan(3);
    expect(troubled.calls.unpark).toBeLessThan(30);
    expect(app.lines.filter(({ message }) => message.includes('cannot be put back yet'))).toHaveLength(1);
    troubled.trouble.unpark = undefined;
    await advance(10_000);
    expect(ran).toHaveLength(1);
    const { unpark } = troubled.calls;
    await advance(3_600_000);
    expect(troubled.calls.unpark).toBe(unpark);
  });

  it('is left alone once the runner has stopped', async () => {
    const { app, troubled, advance } = await startTroubled();
    await advance(1_000);
    await app.runner.stop();
    const { unpark } = troubled.calls;
    expect(unpark).toBeGreaterThan(0);
    await advance(60_000);
    expect(troubled.calls.unpark).toBe(unpark);
  });
});

const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);

/** Definitions of `Greet` that take nothing and note each check, and a job by which a test sees that time has passed. */
function countedChecks() {
  const made: string[] = [];
  let marks = 0;
  @Job({ name: 'Marker' })
  class Marker {
    run(): void {
      marks++;
    }
  }
  const job = (version: string) => {
    const validate = () => {
      made.push(version);
      return { issues: [{ message: 'nobody will do' }] };
    };
    const params = { definition: version, '~standard': { version: 1 as const, vendor: 'test', validate } };
    @Job({ name: 'Greet', params })
    class Greet {
      run(): void {}
    }
    return Greet;
  };
  const marked = async ({ jobs }: TestApp) => {
    const before = marks;
    await jobs.enqueue(Marker, undefined, { in: '250ms' });
    await eventually(() => marks > before);
  };
  return { made, Marker, job, marked };
}
