import { IsEmail } from 'class-validator';
import { Job, type JobHandler, type Task } from 'nestjs-jobs';

class ContactParams {
  @IsEmail() email!: string;
}

/** A job that fails and is retried: the address book it talks to is down for the first two attempts. */
@Job({ params: ContactParams, retries: ['1s', '3s'] })
export class SyncContact implements JobHandler<ContactParams> {
  async run({ email }: ContactParams, task: Task) {
    if (task.attempt < 3) throw new Error('the address book does not answer');
    task.log(`synced ${email} at attempt ${task.attempt}`);
  }
}
