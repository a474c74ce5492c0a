import { describe, expect, it } from '@jest/globals';
import { IsInt, IsOptional, IsString } from 'class-validator';
import { Job, type JobHandler } from 'nestjs-jobs';
import { jobMatchers } from 'nestjs-jobs/testing';
import { startUnderTest } from './fixtures/testing-app.js';

expect.extend(jobMatchers);

class Mail {
  @IsString() to!: string;
  @IsOptional() @IsInt() copies?: number = 1;
}

@Job({ params: Mail })
class Send implements JobHandler<Mail> {
  run(_mail: Mail) {}
}

@Job()
class Count implements JobHandler<number> {
  run(_n: number) {}
}

@Job()
class Plain {
  run() {}
}

async function start() {
  const { queue, jobs } = await startUnderTest({ providers: [Send, Count, Plain] });
  return { queue, jobs };
}

const messageOf = (act: () => void) => {
  try {
    act();
  } catch (error) {
    // oxlint-disable-next-line no-control-regex -- colours
    return (error as Error).message.replace(/\u001B\[\d+m/g, '');
  }
  throw new Error('it passed');
};

describe('toHaveEnqueued', () => {
  it('looks for a job, for some of its params, and for some of the options of the call', async () => {
    const { queue, jobs } = await start();
    expect(jobs).not.toHaveEnqueued(Send);
    await queue.enqueue(Send, { to: 'ada' }, { in: '5m', priority: 1 });
    await queue.enqueue(Count, 3);
    await queue.enqueue(Plain);
    expect(jobs).toHaveEnqueued(Send);
    expect(jobs).toHaveEnqueued(Send, { to: 'ada' });
    expect(jobs).toHaveEnqueued(Send, { copies: 1 });
    expect(jobs).toHaveEnqueued(Send, { to: 'ada' }, { in: '5m' });
    expect(jobs).toHaveEnqueued(Send, undefined, { priority: 1 });
    expect(jobs).not.toHaveEnqueued(Send, { to: 'bob' });
    expect(jobs).not.toHaveEnqueued(Send, { to: 'ada' }, { in: '6m' });
    expect(jobs).toHaveEnqueued(Count, 3);
    expect(jobs).not.toHaveEnqueued(Count, 4);
    expect(jobs).toHaveEnqueued(Plain);
  });

  it('takes asymmetric matchers, in part or as a whole', async () => {
    const { queue, jobs } = await start();
    await queue.enqueue(Send, { to: 'ada@example.com' }, { in: '5m' });
    expect(jobs).toHaveEnqueued(Send, { to: expect.stringContaining('@') }, { in: expect.any(String) });
    expect(jobs).toHaveEnqueued(Send, expect.objectContaining({ copies: 1 }) as never);
    expect(jobs).not.toHaveEnqueued(Send, { to: expect.stringContaining('#') });
  });

  it('still knows a task that has run', async () => {
    const { queue, jobs } = await start();
    await queue.enqueue(Send, { to: 'ada' });
    await jobs.drain();
    expect(jobs).toHaveEnqueued(Send, { to: 'ada' });
    await jobs.clear();
    expect(jobs).not.toHaveEnqueued(Send);
  });

  it('shows what there was instead', async () => {
    const { queue, jobs } = await start();
    expect(messageOf(() => expect(jobs).toHaveEnqueued(Send))).toBe(
      'expect(jobs).toHaveEnqueued(Send)\n\nNothing was enqueued.',
    );
    await queue.enqueue(Count, 3, { in: '5m' });
    await queue.enqueue(Plain);
    expect(messageOf(() => expect(jobs).toHaveEnqueued(Send, { to: 'bob' }))).toBe(
      'expect(jobs).toHaveEnqueued(Send, {"to": "bob"})\n\n' +
        'Of Send nothing was enqueued, but:\n  Count, 3, {"in": "5m"}\n  Plain',
    );
    await queue.enqueue(Send, { to: 'ada' });
    const one = messageOf(() => expect(jobs).toHaveEnqueued(Send, { to: 'bob' }));
    expect(one).toContain('Of Send there was:\n  Send, {"copies": 1, "to": "ada"}\n');
    expect(one).toMatch(/-\s+"to": "bob"/);
    expect(one).toMatch(/\+\s+"to": "ada"/);
    await queue.enqueue(Send, { to: 'eve' });
    expect(messageOf(() => expect(jobs).toHaveEnqueued(Send, { to: 'bob' }))).toMatch(
      /"to": "ada"}\n.*"to": "eve"}$/,
    );
    expect(messageOf(() => expect(jobs).not.toHaveEnqueued(Send, { to: 'eve' }))).toBe(
      'expect(jobs).not.toHaveEnqueued(Send, {"to": "eve"})\n\nBut it was:\n  Send, {"copies": 1, "to": "eve"}',
    );
  });

  it('says of whom it is asked', async () => {
    const { queue } = await start();
    expect(messageOf(() => expect(queue).toHaveEnqueued(Send))).toMatch(/app\.get\(TestJobs\)/);
  });
});
