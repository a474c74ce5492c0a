import { Injectable } from '@nestjs/common';
import { JobQueue } from 'nestjs-jobs';
import { Accounts } from './accounts.js';
import { EndTrial } from './jobs/end-trial.js';
import { SendMail } from './jobs/send-mail.js';

/** Two weeks to try the product: a welcome, a reminder on the day before the end, and the end. */
@Injectable()
export class Trials {
  constructor(
    private readonly accounts: Accounts,
    private readonly jobs: JobQueue,
  ) {}

  async begin(user: string): Promise<void> {
    this.accounts.onTrial.add(user);
    await this.jobs.bulk((bulk) => {
      bulk.enqueue(SendMail, { to: user, subject: 'Welcome' });
      bulk.enqueue(SendMail, { to: user, subject: 'One day left' }, { in: '13d' });
      bulk.enqueue(EndTrial, { user }, { in: '14d' });
    });
  }
}
