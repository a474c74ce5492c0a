import 'reflect-metadata';
import { Module, type INestApplicationContext } from '@nestjs/common';
import { Job, JobCatalog, JobQueue, JobsModule, type Backend, type JobHandler, type Task } from 'nestjs-jobs';
import { redisBackend, type RedisBackendOptions } from 'nestjs-jobs/redis';
import { setTimeout as sleep } from 'node:timers/promises';

const leaseMs = 1_000;
const blockedMs = 5_000;
/** By how much the lease of each run was prolonged while it blocked the event loop. */
const prolongedByMs: number[] = [];

@Job()
class Block implements JobHandler<string> {
  constructor(private readonly catalog: JobCatalog) {}

  async run(_why: string, task: Task): Promise<void> {
    const before = await this.leaseEndOf(task);
    const until = Date.now() + blockedMs;
    while (Date.now() < until);
    // Asked ahead of anything that this event loop could still renew: what was renewed, the lease thread has.
    prolongedByMs.push((await this.leaseEndOf(task)) - before);
  }

  private async leaseEndOf(task: Task): Promise<number> {
    return (await this.catalog.task({ queue: task.queue, id: task.id }))!.leaseEndsAt!.getTime();
  }
}

const options: RedisBackendOptions = { url: process.env.REDIS_URL };
export const backend: Backend = redisBackend(options);

@Module({
  imports: [JobsModule.forRoot({ backend, prefix: `packed-${process.pid}`, runner: { lease: leaseMs } })],
  providers: [Block],
})
export class RedisModule {}

/** From a booted application to a closed one; answers whether the lease thread was at work. */
export async function isLeaseRenewed(app: INestApplicationContext): Promise<boolean> {
  await app.get(JobQueue).enqueue(Block, 'to see who renews');
  const until = Date.now() + 30_000;
  while (prolongedByMs.length === 0) {
    if (Date.now() > until) throw new Error('the task was not run');
    await sleep(10);
  }
  await app.close();
  return prolongedByMs[0]! >= leaseMs;
}
