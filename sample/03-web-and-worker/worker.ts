import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { JobsModule } from 'nestjs-jobs';
import { MakeReport } from './make-report.js';
import { explain, store } from './store.js';

@Module({
  imports: [JobsModule.forRoot({ ...store, runner: { concurrency: 5 } })],
  providers: [MakeReport],
})
class WorkerModule {}

try {
  const app = await NestFactory.createApplicationContext(WorkerModule, { abortOnError: false });
  // Ctrl-C: running reports are finished, no further one is begun.
  app.enableShutdownHooks();
  console.log(`Worker ${process.pid} makes reports. Ctrl-C ends it.`);
} catch (error) {
  explain(error);
}
