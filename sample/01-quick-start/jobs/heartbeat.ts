import { Periodic, type Task } from 'nestjs-jobs';

/** A job that recurs: nobody enqueues it. */
@Periodic('10s')
export class Heartbeat {
  private beats = 0;

  run(_params: void, task: Task) {
    task.log(`beat ${++this.beats}`);
  }
}
