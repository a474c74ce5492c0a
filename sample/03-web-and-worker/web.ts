import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { JobsModule } from 'nestjs-jobs';
import { ReportsController } from './reports.controller.js';
import { explain, store } from './store.js';

// It runs no tasks, so the job needs not be provided here: its class is enough to enqueue it.
@Module({
  imports: [JobsModule.forRoot({ ...store, runner: false })],
  controllers: [ReportsController],
})
class WebModule {}

const port = Number(process.env.PORT ?? 3000);
const url = `http://localhost:${port}`;
try {
  const app = await NestFactory.create(WebModule, { abortOnError: false });
  app.enableShutdownHooks();
  await app.listen(port);
  console.log(`
The web application listens on ${url}. The worker is another process; start it in another terminal:

  node dist/sample/03-web-and-worker/worker.js

  order a report     curl -X POST ${url}/reports -H 'content-type: application/json' -d '{"title":"May","amounts":[3,5,10]}'
  look at it         curl ${url}/reports/<id>

Orders that come while no worker runs wait in Redis. Several workers share them.
`);
} catch (error) {
  explain(error);
}
