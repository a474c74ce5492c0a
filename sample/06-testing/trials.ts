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

  /** With the `transaction` that stores the account, where jobs and accounts are in one PostgreSQL. */
  async begin(user: string, transaction?: unknown): Promise<void> {
    this.accounts.onTrial.add(user);
    await this.jobs.bulk(
      (bulk) => {
        bulk.enqueue(SendMail, { to: user, subject: 'Welcome' });
        // Better none than one that comes after the end.
        bulk.enqueue(SendMail, { to: user, subject: 'One day left' }, { in: '13d', expires: '12h' });
        bulk.enqueue(EndTrial, { user }, { in: '14d' });
      },
      { transaction },
    );
  }

  /** A tip now and one a week later, for those who want them. */
  async sendTips(user: string): Promise<void> {
    const tip = { to: user, subject: 'A tip' };
    await this.jobs.enqueue(SendMail, tip, { id: `tips for ${user}`, every: '1w', for: '2w' });
  }
}
