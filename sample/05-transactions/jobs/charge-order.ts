import { IsInt } from 'class-validator';
import { Job, JobQueue, type JobHandler, type Task } from 'nestjs-jobs';
import type { Transaction } from '../database.js';
import { SendMail } from './send-mail.js';

class ChargeParams {
  @IsInt() order!: number;
}

/**
 * What it writes, the mail that it enqueues and its own completion are one commit: the order is paid once, however often
 * this runs. The first attempt stumbles on purpose, and leaves nothing behind.
 */
@Job({ params: ChargeParams, retries: ['1s', '5s', '1m'] })
export class ChargeOrder implements JobHandler<ChargeParams> {
  constructor(private readonly jobs: JobQueue) {}

  async run({ order }: ChargeParams, task: Task) {
    await task.transaction(async (tx: Transaction) => {
      await tx.query(`INSERT INTO shop.payments VALUES ($1, $2)`, [order, task.attempt]);
      if (task.attempt === 1) throw new Error('the bank hung up');
      const { rows } = await tx.query<{ email: string }>(
        `UPDATE shop.orders SET state = 'paid' WHERE id = $1 RETURNING email`,
        [order],
      );
      const mail = { to: rows[0]!.email, text: `order ${order} is paid` };
      await this.jobs.enqueue(SendMail, mail, { transaction: tx });
    });
    task.log(`order ${order} is paid`);
  }
}
