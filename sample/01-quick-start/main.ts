import { NestFactory } from '@nestjs/core';
import { JobQueue } from 'nestjs-jobs';
import { AppModule } from './app.module.js';
import { hints } from './hints.js';
import { AskForFeedback } from './jobs/ask-for-feedback.js';
import { SendWelcome } from './jobs/send-welcome.js';
import { SyncContact } from './jobs/sync-contact.js';
import { receiveVisitors } from './visitors.js';

const port = Number(process.env.PORT ?? 3000);
const app = await NestFactory.create(AppModule);
// Ctrl-C: no further task starts, running ones end, then the process does.
app.enableShutdownHooks();

try {
  await app.listen(port);
  console.log(hints(port));
  // One of each, so that there is something to see before the first request.
  const jobs = app.get(JobQueue);
  await jobs.enqueue(SendWelcome, { to: 'grace@example.com' });
  await jobs.enqueue(AskForFeedback, { to: 'grace@example.com' });
  await jobs.enqueue(SyncContact, { email: 'grace@example.com' });
  receiveVisitors(jobs);
} catch (error) {
  if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
  console.error(`Port ${port} is taken by another program. Choose another one: PORT=${port + 1} npm start`);
  process.exitCode = 1;
  await app.close();
}
