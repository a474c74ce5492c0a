import type { OnApplicationBootstrap } from '@nestjs/common';
import { IsInt } from 'class-validator';
import { Job, JobQueue, type JobHandler, type Task } from 'nestjs-jobs';

class Beat {
  @IsInt() number!: number;
}

/** A job that repeats itself: each run enqueues the next. */
@Job({ params: Beat, in: '10s' })
export class Heartbeat implements JobHandler<Beat>, OnApplicationBootstrap {
  constructor(private readonly jobs: JobQueue) {}

  async onApplicationBootstrap() {
    await this.beat(1);
  }

  run({ number }: Beat, task: Task) {
    task.log(`beat ${number}`);
  }

  // After success and failure alike: one bad beat must not be the last.
  async afterRun(_success: boolean, task: Task<Beat>) {
    await this.beat(task.params.number + 1);
  }

  // The id makes a beat that is asked for twice one task.
  private async beat(number: number) {
    await this.jobs.enqueue(Heartbeat, { number }, { id: `heartbeat-${number}` });
  }
}
