import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Job, JobsHealth, Periodic, type JobHandler, type Task } from 'nestjs-jobs';
import { startUnderTest } from './fixtures/testing-app.js';

const seen: string[] = [];

@Job({ timeout: '1h' })
class Wait implements JobHandler<number> {
  async run(ms: number, _task: Task) {
    seen.push(`begun ${new Date().toISOString().slice(11, 19)}`);
    await new Promise((resolve) => setTimeout(resolve, ms));
    seen.push(`ended ${new Date().toISOString().slice(11, 19)}`);
  }
}

@Job()
class Note implements JobHandler<string> {
  run(what: string) {
    seen.push(`${what} ${new Date().toISOString().slice(11, 19)}`);
  }
}

@Job({ keep: '1h' })
class Add implements JobHandler<number, number> {
  run(n: number) {
    return n + 1;
  }
}

@Periodic('1h')
class Hourly {
  run() {
    seen.push(`hour ${new Date().toISOString().slice(11, 19)}`);
  }
}

beforeEach(() => {
  seen.splice(0);
  jest.useFakeTimers({ now: new Date('2030-01-01T00:00:00Z') });
});
afterEach(() => void jest.useRealTimers());

describe('With fake timers of jest', () => {
  it('an application under test works as it does without them', async () => {
    const { queue, jobs } = await startUnderTest({ providers: [Note, Hourly] });
    expect(jobs.now).toEqual(new Date('2030-01-01T00:00:00Z'));
    await queue.enqueue(Note, 'noted', { in: '5m' });
    await jobs.advance('2h');
    // Nobody has told them that time has passed.
    expect(seen).toEqual(['hour 00:00:00', 'noted 00:00:00', 'hour 00:00:00', 'hour 00:00:00']);
    await queue.enqueue(Note, 'drained', { in: '5m' });
    expect(await jobs.drain()).toMatchObject({ succeeded: 1 });
  });

  it('a result is there as soon as its task has run', async () => {
    const { queue, jobs } = await startUnderTest({ providers: [Add] });
    const waiting = queue.result(await queue.enqueue(Add, 41));
    await jobs.drain();
    expect(await waiting).toBe(42);
  });

  it('a check of the health has an end', async () => {
    const { app } = await startUnderTest({ providers: [Add] });
    expect(await app.get(JobsHealth).check()).toMatchObject({ isHealthy: true });
  });

  it('Date and setTimeout in handlers follow the virtual clock, where they are told to', async () => {
    const { queue, jobs } = await startUnderTest(
      { providers: [Wait, Hourly] },
      { timers: jest, patience: 50 },
    );
    await queue.enqueue(Wait, 90_000, { in: '5m' });
    await jobs.advance('2h');
    expect(seen).toEqual([
      'hour 00:00:00',
      'begun 00:05:00',
      // The timer fired at its time; what awaited it goes on where the clock stops next, at the renewal of the lease.
      expect.stringMatching(/^ended 00:06:3/),
      'hour 01:00:00',
      'hour 02:00:00',
    ]);
    expect(new Date()).toEqual(jobs.now);
  });
});
