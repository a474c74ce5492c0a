import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { JobQueue, JobsModule } from 'nestjs-jobs';
import { ChainModule } from './chain.module.js';
import { ReserveStock } from './order-workflow.js';
import { SendAllEmails } from './send-all-emails.js';

@Module({ imports: [JobsModule.forRoot({ backend: 'memory:' }), ChainModule] })
class AppModule {}

// No server listens here, so the process ends by itself, some seconds after its last task.
const app = await NestFactory.createApplicationContext(AppModule);
app.enableShutdownHooks();
await app
  .get(SendAllEmails)
  .start('newsletter', ['ada@example.com', 'grace@example.com', 'mary@example.com']);
await app.get(JobQueue).enqueue(ReserveStock, { order: 'order 7' }, { id: 'order 7: stock' });
