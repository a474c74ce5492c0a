import { Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { JobsModule } from 'nestjs-jobs';
import { InvalidParamsFilter } from './invalid-params.filter.js';
import { AskForFeedback } from './jobs/ask-for-feedback.js';
import { Heartbeat } from './jobs/heartbeat.js';
import { SendWelcome } from './jobs/send-welcome.js';
import { SyncContact } from './jobs/sync-contact.js';
import { Mailer } from './mailer.js';
import { TasksController } from './tasks.controller.js';
import { UsersController } from './users.controller.js';

@Module({
  imports: [JobsModule.forRoot({ backend: 'memory:' })],
  controllers: [UsersController, TasksController],
  providers: [
    Mailer,
    SendWelcome,
    AskForFeedback,
    SyncContact,
    Heartbeat,
    { provide: APP_FILTER, useClass: InvalidParamsFilter },
  ],
})
export class AppModule {}
