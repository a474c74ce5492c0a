import { describe, expect, it } from '@jest/globals';
import { Test } from '@nestjs/testing';
import { InvalidParamsError, JobQueue, JobRunner } from 'nestjs-jobs';
import { AppModule, Greet, useJobs, whatHappens } from './app.js';
import { isLeaseRenewed, RedisModule } from './redis.js';

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
});
