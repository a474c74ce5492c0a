import { Periodic, type Task } from 'nestjs-jobs';

/** A class that runs every two seconds, the first time at once. */
@Periodic('2s')
export class PruneSessions {
  run(_params: void, task: Task) {
    task.log(`pruned for slot ${task.slot?.toISOString()}`);
  }
}
