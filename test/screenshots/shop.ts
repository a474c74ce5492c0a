import type { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Clock, JobQueue, JobsModule } from 'nestjs-jobs';
import { JobsDashboardModule } from 'nestjs-jobs/dashboard';
import { ChargeCard, ImportProducts, SendWelcome, shopJobs } from './shop-jobs.js';
import { StageClock } from './stage-clock.js';

const minuteMs = 60_000;
const names = [
  'ada',
  'alan',
  'barbara',
  'donald',
  'edsger',
  'frances',
  'grace',
  'katherine',
  'margaret',
  'tim',
];

export interface Shop {
  readonly url: string;
  close(): Promise<void>;
}

/** A shop that has been at work for some hours, made in seconds. */
export async function openShop(hours = 5): Promise<Shop> {
  const clock = new StageClock(Date.now() - hours * 60 * minuteMs - 31_000);
  const app = await start(clock);
  const jobs = app.get(JobQueue);
  for (let minute = 0; minute < hours * 60; minute++) {
    await visitors(jobs, minute, hours * 60);
    await clock.advance(minuteMs);
  }
  for (const products of [9_600, 24_000])
    await jobs.enqueue(ImportProducts, { from: `https://supplier.example/feed-${products}.csv`, products });
  await clock.advance(27_000);
  for (let at = 0; at < 6; at++)
    await jobs.enqueue(SendWelcome, { to: `${names[at]}@example.com` }, { in: `${at * 9 + 5}m` });
  // A queue that nobody runs.
  for (let at = 0; at < 3; at++)
    await jobs.enqueue(SendWelcome, { to: `${names[at]}@partner.example` }, { queue: 'partners' });
  await clock.advance(4_000);
  clock.follow();
  return {
    url: `${await app.getUrl()}/jobs/`,
    async close() {
      // Closing takes time, too.
      await app.close();
      clock.stop();
    },
  };
}

async function start(clock: StageClock): Promise<INestApplication> {
  const testing = await Test.createTestingModule({
    imports: [
      JobsModule.forRoot({ backend: 'memory:', log: false, runner: { shutdownTimeout: 0 } }),
      JobsDashboardModule.forRoot({
        authorize: () => ['operate', 'enqueue'],
        user: () => 'grace@example.com',
        title: 'Shop',
      }),
    ],
    providers: [...shopJobs, { provide: Clock, useValue: clock }],
  })
    .overrideProvider(Clock)
    .useValue(clock)
    .compile();
  const app = testing.createNestApplication({ logger: false });
  await app.listen(0, '127.0.0.1');
  return app;
}

/** More of them at some hours than at others, and a bad quarter of an hour near the end. */
async function visitors(jobs: JobQueue, minute: number, minutes: number): Promise<void> {
  const isBad = minute > minutes - 32 && minute < minutes - 20;
  const count = Math.round(6 + 4 * Math.sin(minute / 9) + (minute % 4));
  await jobs.bulk((bulk) => {
    for (let at = 0; at < count; at++) {
      const order = `A-${10_000 + minute * 12 + at}`;
      const card = isBad && at % 3 === 0 ? 'amex' : at % 8 === 0 ? 'mastercard' : 'visa';
      bulk.enqueue(SendWelcome, { to: `${names[(minute + at) % names.length]}@example.com` });
      if (at % 2 === 0) bulk.enqueue(ChargeCard, { order, cents: 1_900 + at * 450, card });
    }
  });
}
