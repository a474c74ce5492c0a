import { Module } from '@nestjs/common';
import { ChargeCard, OrderWatch, ReserveStock, SendReceipt } from './order-workflow.js';
import { Outbox } from './outbox.js';
import { SendAllEmails } from './send-all-emails.js';

@Module({
  providers: [Outbox, SendAllEmails, ReserveStock, ChargeCard, SendReceipt, OrderWatch],
})
export class ChainModule {}
