import { describe, expect, it } from '@jest/globals';
import { Test } from '@nestjs/testing';
import { InvalidParamsError, JobQueue, JobRunner } from 'nestjs-jobs';
import { jobMatchers, JobsTestingModule, TestJobs } from 'nestjs-jobs/testing';
import { AppModule, Greet, Journal, useJobs, whatHappens } from './app.js';
import { isLeaseRenewed, RedisModule } from './redis.js';

expect.extend(jobMatchers);

describe('An application that has installed nestjs-jobs', () => {
  it('runs its jobs between its start and its end', async () => {
    const app = await Test.createTestingModule({ imports: [AppModule] }).compile();
    await app.init();
    expect(await useJobs(app)).toEqual(whatHappens);
  });

  it('is told what is wrong with params', async () => {
    const app = await Test.createTestingModule({ imports: [AppModule] }).compile();
    await app.init();
    const wrong = app.get(JobQueue).enqueue(Greet, { to: 1, on: 'never' } as never);
    await expect(wrong).rejects.toBeInstanceOf(InvalidParamsError);
    await app.close();
    expect(app.get(JobRunner).isRunning).toBe(false);
  });

  it('runs jobs on Redis, whose leases a thread renews', async () => {
    const app = await Test.createTestingModule({ imports: [RedisModule] }).compile();
    await app.init();
    expect(await isLeaseRenewed(app)).toBe(true);
  }, 60_000);

  it('is tested in virtual time', async () => {
    const imports = [AppModule, JobsTestingModule.forRoot({ now: new Date('2030-01-01') })];
    const app = await Test.createTestingModule({ imports }).compile();
    await app.init();
    const jobs = app.get(TestJobs);
    await app.get(JobQueue).enqueue(Greet, { to: 'Ada', on: new Date('2030-01-02') }, { in: '3d' });
    expect(jobs).toHaveEnqueued(Greet, { to: expect.stringContaining('da') }, { in: '3d' });
    expect(jobs).not.toHaveEnqueued(Greet, { to: 'Grace' });
    await jobs.advance('3d');
    expect(app.get(Journal).lines).toContain('the app greets Ada on 2030-01-02, attempt 1');
    expect(await jobs.runJob(Greet, { to: 'Ada', on: new Date('2030-01-02') })).toMatchObject({
      type: 'succeeded',
    });
    await app.close();
  });
});
