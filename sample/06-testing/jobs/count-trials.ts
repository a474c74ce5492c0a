import { Clock, Cron } from 'nestjs-jobs';
import { Mailer } from '../mailer.js';

/** Monday mornings, as the office has them. */
@Cron('0 8 * * 1', { timeZone: 'Europe/Berlin' })
export class CountTrials {
  constructor(
    private readonly mailer: Mailer,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    await this.mailer.send('team@example.com', `Trials on ${new Date(this.clock.now()).toISOString()}`);
  }
}
