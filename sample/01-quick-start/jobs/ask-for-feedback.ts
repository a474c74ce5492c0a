import { IsEmail } from 'class-validator';
import { Job, type JobHandler, type Task } from 'nestjs-jobs';
import { Mailer } from '../mailer.js';

class FeedbackParams {
  @IsEmail() to!: string;
}

/** A delayed job: five seconds after it was enqueued, unless the call says another time. */
@Job({ params: FeedbackParams, in: '5s' })
export class AskForFeedback implements JobHandler<FeedbackParams> {
  constructor(private readonly mailer: Mailer) {}

  async run({ to }: FeedbackParams, task: Task) {
    await this.mailer.send(to);
    task.log(`asked ${to} for feedback, ${Date.now() - task.enqueuedAt.getTime()} ms after the sign-up`);
  }
}
