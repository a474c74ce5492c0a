import { Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { JobsModule } from 'nestjs-jobs';
import { JobsDashboardModule } from 'nestjs-jobs/dashboard';
import { InvalidParamsFilter } from './invalid-params.filter.js';
import { AskForFeedback } from './jobs/ask-for-feedback.js';
import { ChargeCard } from './jobs/charge-card.js';
import { Heartbeat } from './jobs/heartbeat.js';
import { ImportProducts } from './jobs/import-products.js';
import { SendInvoices } from './jobs/send-invoices.js';
import { SendWelcome } from './jobs/send-welcome.js';
import { SyncContact } from './jobs/sync-contact.js';
import { Mailer } from './mailer.js';
import { OnThisMachineGuard } from './on-this-machine.guard.js';
import { TasksController } from './tasks.controller.js';
import { UsersController } from './users.controller.js';

@Module({
  imports: [
    // Tasks that succeeded stay for an hour, so that the dashboard can show them.
    JobsModule.forRoot({ backend: 'memory:', retention: { succeeded: '1h' } }),
    JobsDashboardModule.forRoot({ path: '/jobs', guards: [OnThisMachineGuard], title: 'Quick start' }),
  ],
  controllers: [UsersController, TasksController],
  providers: [
    Mailer,
    SendWelcome,
    AskForFeedback,
    SyncContact,
    ChargeCard,
    ImportProducts,
    SendInvoices,
    Heartbeat,
    { provide: APP_FILTER, useClass: InvalidParamsFilter },
  ],
})
export class AppModule {}
