import { IsEmail } from 'class-validator';
import { Job, JobQueue, type JobHandler } from 'nestjs-jobs';
import { Accounts } from '../accounts.js';
import { SendMail } from './send-mail.js';

export class Trial {
  @IsEmail() user!: string;
}

@Job({ params: Trial })
export class EndTrial implements JobHandler<Trial> {
  constructor(
    private readonly accounts: Accounts,
    private readonly jobs: JobQueue,
  ) {}

  async run({ user }: Trial): Promise<void> {
    if (!this.accounts.onTrial.delete(user)) return;
    await this.jobs.enqueue(SendMail, { to: user, subject: 'Your trial has ended' });
  }
}
