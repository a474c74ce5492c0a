import { IsEmail, IsIn, IsInt, IsOptional, IsPositive, IsString, IsUrl, Max } from 'class-validator';
import { Clock, Cron, Job, Periodic, type Task } from 'nestjs-jobs';

const within = (clock: Clock, ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve));

class WelcomeParams {
  @IsEmail() to!: string;
  @IsOptional() @IsString() language?: string = 'en';
}

@Job({ params: WelcomeParams, queue: 'mail', keep: '1h' })
export class SendWelcome {
  constructor(private readonly clock: Clock) {}

  async run({ to }: WelcomeParams, task: Task) {
    await within(this.clock, 180 + (to.length % 7) * 40);
    task.log(`welcomed ${to}`);
    return { to, message: 'accepted' };
  }
}

class ChargeParams {
  @IsString() order!: string;
  @IsInt() @IsPositive() @Max(1_000_000) cents!: number;
  @IsIn(['visa', 'mastercard', 'amex']) card: string = 'visa';
}

@Job({
  params: ChargeParams,
  queue: 'billing',
  retries: ['20s', '40s'],
  unique: { lock: 'until_completed', by: ['order'] },
})
export class ChargeCard {
  constructor(private readonly clock: Clock) {}

  async run({ order, cents, card }: ChargeParams, task: Task) {
    task.log(`charging ${cents} cents for ${order}`);
    await within(this.clock, 900);
    if (card === 'amex') throw new CardDeclined(`the bank declined order ${order}`);
    if (card === 'mastercard' && task.attempt < 2) throw new Error('gateway timeout after 900 ms');
    return { order, charged: cents };
  }
}

class CardDeclined extends Error {
  override name = 'CardDeclined';

  constructor(message: string) {
    super(message);
    // Not where this was made.
    this.stack = this.stack?.replaceAll(/file:\S+\//g, 'file:///srv/shop/dist/');
  }
}

class ImportParams {
  @IsUrl() from!: string;
  @IsInt() @IsPositive() products!: number;
}

@Job({ params: ImportParams, queue: 'imports', keep: '1h' })
export class ImportProducts {
  constructor(private readonly clock: Clock) {}

  async run({ from, products }: ImportParams, task: Task) {
    task.log(`reading ${from}`);
    for (let done = 0; done < products; done += 100) {
      task.progress(
        (done / products) * 100,
        `${done.toLocaleString('en')} of ${products.toLocaleString('en')} products`,
      );
      await within(this.clock, 1_000);
    }
  }
}

@Periodic('5m', { queue: 'stock' })
export class SyncInventory {
  constructor(private readonly clock: Clock) {}

  async run(_params: void, task: Task) {
    await within(this.clock, 2_400);
    if (Math.floor(task.slot!.getUTCMinutes() / 5) === 5)
      task.fail('the warehouse answered 503', { retry: false });
  }
}

@Cron('0 8 1 * *', { timeZone: 'Africa/Accra', queue: 'billing' })
export class SendInvoices {
  run() {}
}

@Cron('30 2 * * 1-5', { timeZone: 'Europe/Berlin', queue: 'stock' })
export class CloseBooks {
  run() {}
}

export const shopJobs = [SendWelcome, ChargeCard, ImportProducts, SyncInventory, SendInvoices, CloseBooks];
