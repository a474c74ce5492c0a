import { IsIn, IsInt, IsPositive, IsString } from 'class-validator';
import { Job, type JobHandler } from 'nestjs-jobs';

class ChargeParams {
  @IsString() order!: string;
  @IsInt() @IsPositive() cents!: number;
  @IsIn(['visa', 'mastercard', 'amex']) card: string = 'visa';
}

/** A job that fails for good now and then: such tasks are found among the failures, and can be retried there. */
@Job({
  params: ChargeParams,
  queue: 'billing',
  retries: ['4s'],
  unique: { lock: 'until_completed', by: ['order'] },
})
export class ChargeCard implements JobHandler<ChargeParams> {
  async run({ order, cents, card }: ChargeParams) {
    if (card === 'amex') throw new Error(`the bank declined order ${order}`);
    return { order, charged: cents };
  }
}
