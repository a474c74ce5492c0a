import { afterEach, describe, expect, it } from '@jest/globals';
import { Clock, Job, LeaseLostError, type ClockTimer, type Task } from 'nestjs-jobs';
import { gate, type Gate } from './fixtures/gate.js';
import { start, type Started } from './fixtures/start.js';
import { down, TroubledStore } from './fixtures/troubled-store.js';

const second = 1_000;
const hour = 3_600 * second;

/** A process whose wall clock someone sets, while its time goes on as before. */
class SteppingClock extends Clock {
  private stepMs = 0;
  private readonly startedAt: number;

  constructor(private readonly steady: Clock) {
    super();
    this.startedAt = steady.elapsed();
  }

  step(ms: number): void {
    this.stepMs += ms;
  }

  now(): number {
    return this.steady.now() + this.stepMs;
  }

  /** Counts from the start of the process, like the system's: no wall clock time can be taken for it. */
  elapsed(): number {
    return this.steady.elapsed() - this.startedAt;
  }

  after(delayMs: number, wake: () => void): ClockTimer {
    return this.steady.after(delayMs, wake);
  }
}

describe.each([
  ['back by an hour', -hour],
  ['forward by an hour', hour],
])('a wall clock that is set %s', (_, stepMs) => {
  const held: Gate[] = [];
  afterEach(() => {
    for (const { open } of held.splice(0)) open();
  });

  /** A runner whose wall clock can be set, on a store with a clock of its own. */
  async function startStepping() {
    const troubled = new TroubledStore();
    const end = gate();
    held.push(end);
    const events: { what: string; at: number; reason?: unknown }[] = [];
    const server = await start({ options: { runner: false } });
    const clock = new SteppingClock(server.clock);
    const at = () => server.now() - beganAt;
    @Job({ name: 'Watching', keep: '1h', backoff: '10s' })
    class Watching {
      async run(what: string, task: Task<string>): Promise<void> {
        events.push({ what, at: at() });
        task.signal.addEventListener('abort', () =>
          events.push({ what: 'aborted', at: at(), reason: task.signal.reason }),
        );
        if (what === 'fail' && task.attempt === 1) throw new Error('no');
        if (what === 'wait') await end.opened;
      }
    }
    const beside: Started = { ...server, clock };
    const app = await start({ providers: [Watching], beside, before: troubled.before });
    await server.advance(0);
    const beganAt = server.now();
    const enqueue = (what: string, options?: Parameters<typeof app.jobs.enqueue>[2]) =>
      app.jobs.enqueue(Watching, what, options);
    return {
      catalog: app.catalog,
      trouble: troubled.trouble,
      enqueue,
      events,
      end,
      step: () => clock.step(stepMs),
      advance: (ms: number) => server.advance(ms),
    };
  }

  it('after a failed claim does not keep the runner from asking again', async () => {
    const { trouble, enqueue, events, step, advance } = await startStepping();
    trouble.claim = down;
    await enqueue('usual');
    await advance(0);
    step();
    trouble.claim = undefined;
    await advance(100);
    expect(events).toEqual([{ what: 'usual', at: 100 }]);
    await enqueue('usual');
    await advance(0);
    expect(events).toHaveLength(2);
  });

  it('after refused outcomes does not keep them from the store', async () => {
    const { trouble, enqueue, catalog, step, advance } = await startStepping();
    trouble.settle = down;
    const { id } = await enqueue('usual');
    await advance(0);
    step();
    trouble.settle = undefined;
    await advance(100);
    expect((await catalog.task(id))?.state).toBe('succeeded');
  });

  it('leaves a delayed task its time', async () => {
    const { enqueue, events, step, advance } = await startStepping();
    await enqueue('delayed', { in: '10s' });
    await advance(0);
    step();
    await advance(10 * second - 1);
    expect(events).toEqual([]);
    await advance(1);
    expect(events).toEqual([{ what: 'delayed', at: 10 * second }]);
  });

  it('leaves a retry its time', async () => {
    const { enqueue, events, step, advance } = await startStepping();
    await enqueue('fail');
    await advance(0);
    step();
    await advance(10 * second - 1);
    expect(events).toHaveLength(1);
    await advance(1);
    expect(events).toHaveLength(2);
  });

  it('does not make leases look longer or shorter: signals abort when they must', async () => {
    const { trouble, enqueue, events, step, advance } = await startStepping();
    await enqueue('wait');
    await advance(0);
    trouble.renew = down;
    step();
    await advance(12 * second);
    expect(events).toHaveLength(1);
    await advance(8 * second - 1);
    expect(events).toEqual([
      { what: 'wait', at: 0 },
      { what: 'aborted', at: expect.any(Number), reason: expect.any(LeaseLostError) },
    ]);
  });

  it('while a claim is under way does not make its lease look over, nor does it keep leases from being renewed', async () => {
    const { trouble, enqueue, events, end, catalog, step, advance } = await startStepping();
    trouble.claim = async (go) => {
      const claim = await go();
      step();
      trouble.claim = undefined;
      return claim;
    };
    const { id } = await enqueue('wait');
    await advance(60 * second);
    expect(events).toEqual([{ what: 'wait', at: 0 }]);
    end.open();
    await advance(0);
    expect(await catalog.task(id)).toMatchObject({ state: 'succeeded', attempt: 1, failures: 0 });
  });
});
