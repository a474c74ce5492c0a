import { Cron, type Task } from 'nestjs-jobs';

/** A job at a time of day. */
@Cron('0 8 1 * *', { timeZone: 'Africa/Accra', queue: 'billing' })
export class SendInvoices {
  run(_params: void, task: Task) {
    task.log('sent the invoices of the month');
  }
}
