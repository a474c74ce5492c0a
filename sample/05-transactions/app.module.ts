import { Module } from '@nestjs/common';
import { JobsModule } from 'nestjs-jobs';
import { Database } from './database.js';
import { ChargeOrder } from './jobs/charge-order.js';
import { SendMail } from './jobs/send-mail.js';
import { OrdersController } from './orders.controller.js';

@Module({
  providers: [{ provide: Database, useFactory: () => Database.open() }],
  exports: [Database],
})
class DatabaseModule {}

@Module({
  imports: [
    DatabaseModule,
    JobsModule.forRootAsync({
      imports: [DatabaseModule],
      inject: [Database],
      useFactory: ({ backend }: Database) => ({ backend, prefix: 'sample-05' }),
    }),
  ],
  controllers: [OrdersController],
  providers: [SendMail, ChargeOrder],
})
export class AppModule {}
