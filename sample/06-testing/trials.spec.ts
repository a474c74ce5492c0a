import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { InvalidParamsError, JobCatalog, JobQueue, TaskTimeoutError } from 'nestjs-jobs';
import { jobMatchers, JobsTestingModule, TestJobs, type TestingOptions } from 'nestjs-jobs/testing';
import { Accounts } from './accounts.js';
import { AppModule } from './app.module.js';
import { EndTrial } from './jobs/end-trial.js';
import { SendMail } from './jobs/send-mail.js';
import { Mailer } from './mailer.js';
import { Trials } from './trials.js';

expect.extend(jobMatchers);

const ada = 'ada@example.com';
let app: INestApplicationContext;
afterEach(() => app.close());

/** The application as it is, with Redis for its backend; only the mailer is another. */
async function start(options?: TestingOptions) {
  const mailer = { send: jest.fn<Mailer['send']>(async () => undefined) };
  const subjects = () => mailer.send.mock.calls.map(([, subject]) => subject);
  app = await Test.createTestingModule({ imports: [AppModule, JobsTestingModule.forRoot(options)] })
    .overrideProvider(Mailer)
    .useValue(mailer)
    .setLogger({ log() {}, warn() {}, error() {} })
    .compile();
  await app.init();
  return { mailer, subjects, trials: app.get(Trials), queue: app.get(JobQueue), jobs: app.get(TestJobs) };
}

describe('what a trial enqueues', () => {
  test('a welcome, a reminder and the end', async () => {
    const { trials, jobs, mailer } = await start();
    await trials.begin(ada);
    expect(jobs).toHaveEnqueued(SendMail, { to: ada, subject: 'Welcome' });
    expect(jobs).toHaveEnqueued(SendMail, { subject: expect.stringContaining('left') }, { in: '13d' });
    expect(jobs).toHaveEnqueued(EndTrial, { user: ada }, { in: '14d' });
    expect(jobs.enqueued(SendMail)[0]?.params.from).toBe('hello@example.com');
    expect(mailer.send).not.toHaveBeenCalled();
  });

  test('all of it within the transaction that stores the account, whichever that is', async () => {
    const { trials, jobs } = await start();
    const transaction = { rolledBack: true };
    await trials.begin(ada, transaction);
    expect(jobs.enqueued()).toHaveLength(3);
  });

  test('tips that come again and again', async () => {
    const { trials, jobs, subjects } = await start();
    await trials.sendTips(ada);
    expect(jobs).toHaveEnqueued(SendMail, { to: ada, subject: 'A tip' }, { every: '1w' });
    expect(jobs.enqueued(SendMail)).toMatchObject([{ id: `tips for ${ada}`, isRecurring: true }]);
    await jobs.advance('6d');
    expect(jobs.enqueued(SendMail)).toMatchObject([
      { isRecurring: true },
      { isRecurring: false, scheduleId: `tips for ${ada}` },
    ]);
    await jobs.advance('4w');
    expect(subjects().filter((subject) => subject === 'A tip')).toHaveLength(2);
  });

  test('no second task for a mail that is on its way', async () => {
    const { queue, jobs } = await start();
    await queue.enqueue(SendMail, { to: ada, subject: 'Welcome' });
    await queue.enqueue(SendMail, { to: ada, subject: 'Welcome' });
    expect(jobs.enqueued(SendMail)).toHaveLength(1);
    await jobs.clear();
    await queue.enqueue(SendMail, { to: ada, subject: 'Welcome' });
    expect(jobs.enqueued(SendMail)).toHaveLength(1);
  });
});

describe('two weeks', () => {
  test('pass in no time, each mail on its day', async () => {
    const { trials, jobs, subjects } = await start({ now: new Date('2030-03-20T12:00:00Z') });
    await trials.begin(ada);
    await jobs.advance('12d');
    expect(subjects()).toEqual([
      'Welcome',
      'Trials on 2030-03-25T07:00:00.000Z',
      // The clocks in Berlin have gone forward.
      'Trials on 2030-04-01T06:00:00.000Z',
    ]);
    await jobs.advance('1d');
    expect(subjects().at(-1)).toBe('One day left');
    await jobs.advance('1d');
    expect(subjects().at(-1)).toBe('Your trial has ended');
    expect(app.get(Accounts).onTrial.size).toBe(0);
  });

  test('are drained at once where only the end matters', async () => {
    const { trials, jobs, subjects } = await start();
    await trials.begin(ada);
    expect(await jobs.drain()).toMatchObject({ succeeded: 4, dead: 0 });
    expect(subjects()).toEqual(['Welcome', 'One day left', 'Your trial has ended']);
  });

  test('bring no reminder after the end, though the mails were stopped for a while', async () => {
    const { trials, jobs, subjects } = await start({ now: new Date('2030-03-20T12:00:00Z') });
    await trials.begin(ada);
    await jobs.advance('12d');
    await app.get(JobCatalog).pause('mail', { for: '3d' });
    await jobs.advance('4d');
    expect(subjects()).toContain('Your trial has ended');
    expect(subjects()).not.toContain('One day left');
  });

  test('survive a mail server that is down for a while', async () => {
    const { trials, jobs, mailer } = await start();
    mailer.send.mockRejectedValueOnce(new Error('down')).mockRejectedValueOnce(new Error('down'));
    await trials.begin(ada);
    await jobs.advance('11m');
    expect(mailer.send).toHaveBeenCalledTimes(3);
  });
});

describe('one handler', () => {
  test('sends', async () => {
    const { jobs } = await start();
    const outcome = await jobs.runJob(SendMail, { to: ada, subject: 'Hi' });
    expect(outcome).toEqual({ type: 'succeeded', result: undefined });
  });

  test('is tried again, and gives up at the third attempt', async () => {
    const { jobs, mailer } = await start();
    const down = new Error('down');
    mailer.send.mockRejectedValue(down);
    const run = (attempt: number) => jobs.runJob(SendMail, { to: ada, subject: 'Hi' }, { attempt });
    expect(await run(1)).toEqual({ type: 'failed', error: down, willRetry: true, delayMs: 60_000 });
    expect(await run(3)).toEqual({ type: 'dead', error: down, willRetry: false });
  });

  test('does not wait for a mail server for ever', async () => {
    const { jobs, mailer } = await start({ patience: 50 });
    mailer.send.mockReturnValue(new Promise(() => undefined));
    const outcome = await jobs.runJob(SendMail, { to: ada, subject: 'Hi' });
    expect(outcome).toMatchObject({ type: 'failed', error: expect.any(TaskTimeoutError) });
  });

  test('is not even called with a wrong address', async () => {
    const { jobs, mailer } = await start();
    await expect(jobs.runJob(SendMail, { to: 'ada', subject: 'Hi' })).rejects.toThrow(InvalidParamsError);
    expect(mailer.send).not.toHaveBeenCalled();
  });
});

describe('inline', () => {
  test('the mails are out when begin() returns', async () => {
    const { trials, subjects } = await start({ mode: 'inline' });
    await trials.begin(ada);
    expect(subjects()).toEqual(['Welcome', 'One day left', 'Your trial has ended']);
  });

  test('what a mail fails with is what the caller gets', async () => {
    const { trials, mailer } = await start({ mode: 'inline' });
    mailer.send.mockRejectedValueOnce(new Error('down'));
    await expect(trials.begin(ada)).rejects.toThrow('down');
  });
});

describe('in real time', () => {
  test('the welcome goes out by itself', async () => {
    const { queue, jobs, mailer } = await start({ mode: 'real' });
    await queue.enqueue(SendMail, { to: ada, subject: 'Welcome' });
    await jobs.drain();
    expect(mailer.send).toHaveBeenCalledTimes(1);
  });
});
