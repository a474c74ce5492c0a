import { IsString } from 'class-validator';
import { Job, JobHooks, JobQueue, type JobHandler, type Task, type TaskHooks } from 'nestjs-jobs';
import { Outbox } from './outbox.js';

class Order {
  @IsString() order!: string;
}

// The last step stands first: each step names its successor.

@Job({ params: Order, keep: '1h' })
export class SendReceipt implements JobHandler<Order> {
  constructor(private readonly outbox: Outbox) {}

  async run({ order }: Order) {
    await this.outbox.do(`receipt for ${order}`);
  }

  afterRun(success: boolean, task: Task<Order>) {
    if (success) task.log(`${task.params.order} is complete`);
  }
}

@Job({ params: Order, keep: '1h' })
export class ChargeCard implements JobHandler<Order> {
  constructor(
    private readonly jobs: JobQueue,
    private readonly outbox: Outbox,
  ) {}

  async run({ order }: Order) {
    await this.outbox.do(`charge for ${order}`);
  }

  async afterRun(success: boolean, { params }: Task<Order>) {
    if (success) await this.jobs.enqueue(SendReceipt, params, { id: `${params.order}: receipt` });
  }
}

@Job({ params: Order, keep: '1h' })
export class ReserveStock implements JobHandler<Order> {
  constructor(
    private readonly jobs: JobQueue,
    private readonly outbox: Outbox,
  ) {}

  async run({ order }: Order) {
    await this.outbox.do(`stock for ${order}`);
  }

  async afterRun(success: boolean, { params }: Task<Order>) {
    if (success) await this.jobs.enqueue(ChargeCard, params, { id: `${params.order}: charge` });
  }
}

/** Says of any step of the workflow that the order ended there, so that no step has to. */
@JobHooks()
export class OrderWatch implements TaskHooks {
  afterRun(success: boolean, task: Task) {
    if (success || task.willRetry || !(task.params instanceof Order)) return;
    task.log(`${task.params.order} stopped at ${task.job}`);
  }
}
