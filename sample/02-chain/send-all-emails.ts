import { ArrayNotEmpty, IsEmail, IsString } from 'class-validator';
import { Job, JobQueue, type JobHandler, type Task } from 'nestjs-jobs';
import { Outbox } from './outbox.js';

class Campaign {
  @IsString() name!: string;
  /** Who is still to get the mail; the first is served by this task. */
  @ArrayNotEmpty() @IsEmail({}, { each: true }) users!: string[];
}

/**
 * One user after the other: each task mails one, and its `afterRun` enqueues the task for the next.
 *
 * Why `afterRun`: it knows how the run ended, and it is called while this task still has its lease. A process that dies
 * in between has not settled the task, so the task is run again and the chain goes on.
 *
 * Why an id: "run again" also means that `afterRun` may be called twice. The successor's id follows from the chain and
 * its place in it, so the second call finds it taken and makes no second chain. `keep` holds the id of a successor that
 * has already finished, too, for longer than a lease.
 *
 * One case is left: a throw in `afterRun` is logged and changes nothing, so a store that refuses the successor ends the
 * chain with an error line. Where that must not be, enqueue the successor at the end of `run`: there a throw is retried.
 */
@Job({ params: Campaign, keep: '1h' })
export class SendAllEmails implements JobHandler<Campaign> {
  constructor(
    private readonly jobs: JobQueue,
    private readonly outbox: Outbox,
  ) {}

  /** Starts the chain; started twice, it is one. */
  async start(name: string, users: string[]) {
    return this.jobs.enqueue(SendAllEmails, { name, users }, { id: `${name}: ${users[0]}` });
  }

  async run({ name, users }: Campaign) {
    await this.outbox.do(`${name} to ${users[0]}`);
  }

  async afterRun(success: boolean, task: Task<Campaign>) {
    const { name, users } = task.params;
    const rest = users.slice(1);
    if (!success) {
      if (!task.willRetry) task.log(`${name} stopped at ${users[0]}, ${rest.length} to go`);
    } else if (rest.length > 0) {
      await this.start(name, rest);
    } else {
      task.log(`${name} is sent to all`);
    }
  }
}
