import { IsEmail, IsInt, IsOptional, IsString, Max } from 'class-validator';
import { Cron, Job, type Task } from 'nestjs-jobs';

export class LetterParams {
  @IsEmail() to!: string;
  @IsString() subject!: string;
  @IsOptional() @IsInt() @Max(10) copies?: number = 1;
}

@Job({ queue: 'mail', params: LetterParams, keep: '1h' })
export class SendLetter {
  run({ to }: LetterParams) {
    return { sent: to };
  }
}

/** Ends in one of many groups of errors, and each message in an id of its own. */
@Job({ queue: 'billing', retries: 0 })
export class ChargeCard {
  run({ order, cause }: { order: string; cause: string }) {
    throw new RangeError(`the bank ${cause} refused order ${order}`);
  }
}

@Job({ queue: 'orders', keep: '1h' })
export class PackOrder {
  run({ order }: { order: string }) {
    return { order, parcels: 2 };
  }
}

/** What the code accepts changes between enqueue and run: such tasks are parked. */
export const stock = { isCounted: false };

@Job({
  queue: 'stock',
  params: {
    '~standard': {
      version: 1,
      vendor: 'bench',
      validate: (value: unknown) =>
        stock.isCounted ? { issues: [{ message: 'the stock is counted in pallets now' }] } : { value },
    },
  },
})
export class CountStock {
  run(_amounts: unknown) {}
}

/** Runs until the application ends. */
@Job({ queue: 'imports' })
export class ImportProducts {
  async run({ at }: { at: number }, task: Task) {
    task.progress(at % 100, `${at} of 100 products`);
    await new Promise((resolve) => task.signal.addEventListener('abort', resolve));
    task.fail('stopped', { retry: false });
  }
}

/** The little work that a runner does meanwhile. */
@Job({ queue: 'steady' })
export class Tick {
  async run(_at: number) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

@Cron('0 8 1 * *', { timeZone: 'Africa/Accra', queue: 'reports' })
export class SendInvoices {
  run() {}
}

export const benchJobs = [SendLetter, ChargeCard, PackOrder, CountStock, ImportProducts, Tick, SendInvoices];
