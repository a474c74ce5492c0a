import { describe, expect, it } from '@jest/globals';
import { Job, type JobsOptions, type Task } from 'nestjs-jobs';
import { gate } from './fixtures/gate.js';
import { start } from './fixtures/start.js';
import { down, TroubledStore } from './fixtures/troubled-store.js';

const second = 1_000;

describe('an application with log: false', () => {
  async function startWith(log: JobsOptions['log']) {
    const troubled = new TroubledStore();
    const end = gate();
    @Job({ name: 'Talking', retries: 1 })
    class Talking {
      async run(what: string, task: Task<string>): Promise<void> {
        task.log('a line of its own');
        if (what === 'fail') throw new Error('no');
        if (what === 'snooze') task.snooze('1h');
        if (what === 'wait') await end.opened;
      }
      afterRun(): void {
        throw new Error('a hook that throws');
      }
    }
    const app = await start({ providers: [Talking], before: troubled.before, options: { log } });
    for (const what of ['succeed', 'fail', 'snooze']) await app.jobs.enqueue(Talking, what);
    await app.advance(10 * second);
    const lines = (context: string) => app.lines.filter((line) => line.context === context);
    return { ...app, trouble: troubled.trouble, lines, end, wait: () => app.jobs.enqueue(Talking, 'wait') };
  }

  it('writes no line about tasks, which others do', async () => {
    expect((await startWith(undefined)).lines('Talking').length).toBeGreaterThan(5);
    expect((await startWith(false)).lines('Talking')).toEqual([]);
  });

  it('still says that the store does not answer', async () => {
    const { trouble, wait, lines, advance } = await startWith(false);
    expect(lines('JobRunner')).toEqual([]);
    trouble.claim = down;
    await wait();
    await advance(10 * second);
    trouble.claim = undefined;
    expect(lines('JobRunner')).toEqual([
      {
        level: 'warn',
        context: 'JobRunner',
        message: expect.stringMatching(/does not answer.*store is down/),
      },
    ]);
    expect(lines('Talking')).toEqual([]);
  });

  it('still says that leases cannot be renewed', async () => {
    const { trouble, wait, lines, advance, end } = await startWith(false);
    await wait();
    await advance(0);
    trouble.renew = down;
    await advance(10 * second);
    end.open();
    expect(lines('JobRunner')).toEqual([
      { level: 'warn', context: 'JobRunner', message: expect.stringContaining('renewed') },
    ]);
  });
});
