import { describe, expect, it } from '@jest/globals';
import { InvalidOptionError, Job, JobsHealth, type JobsOptions } from 'nestjs-jobs';
import { eventually } from '../support/app.js';
import { gate } from './fixtures/gate.js';
import { start, type StartOptions } from './fixtures/start.js';
import { TroubledStore } from './fixtures/troubled-store.js';

/** Machines are shared: what is not about the event loop must not fail by it. */
const patient = { eventLoopDelay: '1m' };

async function startHealthy(runner: JobsOptions['runner'] = {}, more: Partial<StartOptions> = {}) {
  const end = gate();
  @Job({ name: 'Send', queue: 'mail', retries: 0 })
  class Send {
    async run(params?: string): Promise<void> {
      if (params === 'long') await end.opened;
    }
  }
  const app = await start({ providers: [Send], options: { runner }, ...more });
  const health = app.app.get(JobsHealth);
  const check = () => health.check(patient);
  return { ...app, Send, end, health, check };
}

describe('The health of a process on memory', () => {
  it('is found out by making an idle runner look', async () => {
    const troubled = new TroubledStore();
    const { advance, check } = await startHealthy({}, { before: troubled.before });
    await advance(3_600_000);
    const { claim } = troubled.calls;
    const report = await check();
    expect(report).toMatchObject({
      isHealthy: true,
      isReady: true,
      isAlive: true,
      problems: [],
      backend: { name: 'troubled memory', isReachable: true, answeredInMs: 0, durability: undefined },
      runner: { state: 'running', running: 0, abandoned: 0 },
      queues: [{ queue: 'mail', waiting: 0, isPaused: false, isFull: false, lookedAgoMs: 0 }],
      leases: { renewedBy: 'event-loop', held: 0 },
    });
    expect(troubled.calls.claim).toBe(claim + 1);
  });

  it('is bad where the look is not answered: the runner is not alive', async () => {
    const troubled = new TroubledStore();
    const { advance, check } = await startHealthy({}, { before: troubled.before });
    await advance(1_000);
    troubled.trouble.claim = () => new Promise(() => undefined);
    const checking = check();
    await advance(1_000);
    expect(await checking).toMatchObject({
      isHealthy: false,
      isReady: true,
      isAlive: false,
      backend: { isReachable: true },
      problems: [
        {
          code: 'runner-not-looking',
          queue: 'mail',
          message: "the runner has not looked at queue 'mail' for 1750 ms",
          against: ['liveness'],
        },
      ],
    });
  });

  it('is asked by several at once', async () => {
    const { check } = await startHealthy();
    const reports = await Promise.all([check(), check(), check()]);
    expect(reports.map(({ isHealthy }) => isHealthy)).toEqual([true, true, true]);
  });

  it('is good while every slot is taken, and tells how many tasks run', async () => {
    const { jobs, Send, advance, check, end } = await startHealthy({ concurrency: 2 });
    for (let number = 0; number < 3; number++) await jobs.enqueue(Send, 'long');
    await advance(60_000);
    const report = await check();
    expect(report).toMatchObject({
      isHealthy: true,
      runner: { running: 2 },
      queues: [{ waiting: 1, oldestWaitingMs: 60_000, isFull: true }],
      leases: { held: 2, trouble: undefined },
    });
    end.open();
  });

  it('shows leases that cannot be renewed', async () => {
    const troubled = new TroubledStore();
    const { jobs, Send, advance, check, end } = await startHealthy({}, { before: troubled.before });
    await jobs.enqueue(Send, 'long');
    await advance(0);
    expect(await check()).toMatchObject({ isHealthy: true, leases: { held: 1, soonestEndMs: 20_000 } });
    troubled.trouble.renew = () => Promise.reject(new Error('no'));
    await advance(8_000);
    const checking = check();
    await advance(1_000);
    const { isHealthy, problems } = await checking;
    expect(isHealthy).toBe(false);
    expect(problems).toContainEqual({ code: 'leases', message: 'leases cannot be renewed', against: [] });
    end.open();
  });

  it('tells of handlers that go on though nobody waits for them', async () => {
    @Job({ name: 'Deaf', timeout: '1s', retries: 0 })
    class Deaf {
      run(): Promise<void> {
        return new Promise(() => undefined);
      }
    }
    const { jobs, advance, app } = await start({ providers: [Deaf] });
    await jobs.enqueue(Deaf);
    await advance(5_000);
    expect((await app.get(JobsHealth).check(patient)).runner).toEqual({
      state: 'running',
      running: 0,
      abandoned: 1,
    });
  });

  it('is not ready before the start and while it drains, but alive', async () => {
    const { app, check, runner, jobs, Send, advance, end } = await startHealthy({}, { init: false });
    const codes = async () => (await check()).problems.map(({ code }) => code);
    expect(await check()).toMatchObject({ isReady: false, isAlive: true, runner: { state: 'starting' } });
    expect(await codes()).toContain('runner-starting');
    await app.init();
    expect(await check()).toMatchObject({ isHealthy: true, isReady: true, runner: { state: 'running' } });
    await jobs.enqueue(Send, 'long');
    await advance(0);
    const stopping = runner.stop();
    await advance(0);
    expect(await check()).toMatchObject({
      isReady: false,
      isAlive: true,
      runner: { state: 'draining', running: 1 },
      problems: [{ code: 'runner-draining', message: 'the runner takes no more tasks, 1 still run' }],
    });
    end.open();
    await advance(1_000);
    await stopping;
    expect(await check()).toMatchObject({ isHealthy: true, isReady: true, runner: { state: 'stopped' } });
    void runner.start();
    await advance(0);
    expect(await check()).toMatchObject({ isHealthy: true, runner: { state: 'running' } });
  });

  it('knows a process that only enqueues, and one whose runner waits to be started', async () => {
    const only = await startHealthy(false);
    expect(await only.check()).toMatchObject({
      isHealthy: true,
      runner: { state: 'off' },
      leases: undefined,
    });
    const waiting = await startHealthy({ autoStart: false });
    expect(await waiting.check()).toMatchObject({
      isHealthy: true,
      isReady: true,
      runner: { state: 'stopped' },
    });
  });

  /** Blocks right behind the call, which has set its timer by then: whatever runs later may run after that timer. */
  async function checkBlocked(health: JobsHealth) {
    const checking = health.check({ eventLoopDelay: '50ms' });
    const until = performance.now() + 200;
    while (performance.now() < until);
    const { problems, isAlive, isReady } = await checking;
    return { problems, isAlive, isReady };
  }

  it('shows an event loop that is late, and calls for no restart while handlers may block it', async () => {
    const { health } = await startHealthy();
    expect(await checkBlocked(health)).toMatchObject({
      problems: [{ code: 'event-loop-late', against: [] }],
      isAlive: true,
      isReady: true,
    });
  });

  it('calls for a restart where the event loop is blocked for longer than they may', async () => {
    const { health } = await startHealthy({ blockedLimit: '100ms' });
    expect(await checkBlocked(health)).toMatchObject({
      problems: [{ code: 'event-loop-late', against: ['liveness'] }],
      isAlive: false,
      isReady: true,
    });
    await eventually(async () => (await health.check({ eventLoopDelay: '50ms' })).isAlive);
  });

  it.each([
    [{ timeout: 0 }, 'timeout is 0'],
    [{ timeout: 'soon' }, 'timeout is "soon"'],
    [{ oldestWaiting: '1mo' }, 'oldestWaiting is "1mo"'],
    [{ oldestWaiting: { mail: 'long' } }, 'oldestWaiting.mail is "long"'],
    [{ oldest: '1m' }, 'oldest is "1m"'],
  ])('is not asked with options that mean nothing: %j', async (options, why) => {
    const { health } = await startHealthy();
    const checking = health.check(options as never);
    await expect(checking).rejects.toThrow(InvalidOptionError);
    await expect(checking).rejects.toThrow(`JobsHealth.check: ${why}`);
  });
});
