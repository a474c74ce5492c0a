// One process of a chaos round: a Nest application on a build of the package, which works, produces, or both. Started by
// member.ts with one JSON argument; it takes commands from its standard input, a JSON text in each line, and ends with it.
import 'reflect-metadata';
import { createInterface } from 'node:readline';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { crashing } from './crash.mjs';
import { makeJobs, queues } from './jobs.mjs';
import { now, openNotes } from './notes.mjs';
import { Producer } from './producer.mjs';
import { restWithin } from './rest.mjs';
import { usage } from './usage.mjs';
import { watchedBackend } from './watched-backend.mjs';

const settings = JSON.parse(process.argv[2]);
const { name, build, store, prefix, file, runner, produce, enqueueTimeout } = settings;
const lib = await import(`${build}/index.js`);
const { redisBackend } = await import(`${build}/backend/redis/index.js`);
const { postgresBackend } = await import(`${build}/backend/postgres/index.js`);

const note = openNotes(file);
const reach = crashing(settings.crashAt, note, name);
const epochs = new Map();
const jobs = makeJobs(lib, { ...settings, note, reach, epochs });
const backend = watchedBackend(
  'redis' in store ? redisBackend(store.redis) : postgresBackend(store.postgres),
  {
    name,
    note,
    reach,
    epochs,
  },
);
const say = (what) => process.stdout.write(`${what}\n`);

class App {}
Module({
  imports: [
    lib.JobsModule.forRoot({
      backend,
      prefix,
      enqueueTimeout,
      runner: runner && { ...runner, queues },
      retention: { succeeded: '1h', dead: '1h', cancelled: '1h' },
    }),
  ],
  providers: runner ? Object.values(jobs) : [],
})(App);
const app = await NestFactory.createApplicationContext(App, { logger: ['warn', 'error', 'fatal'] });
if (runner) note({ type: 'up', process: name, concurrency: runner.concurrency });

// A loop that stood still may have lost leases through no fault of the library's: it says so itself.
const lookMs = 50;
const leastStallMs = 250;
let lookedAt = now();
const look = setInterval(() => {
  const stalledMs = now() - lookedAt - lookMs;
  if (stalledMs > leastStallMs) note({ type: 'stalled', process: name, forMs: stalledMs }, lookedAt);
  lookedAt = now();
}, lookMs);

const producer = produce && new Producer(app.get(lib.JobQueue), jobs, { ...produce, name, note });
producer?.start();

async function stop() {
  await producer?.finish();
  clearInterval(look);
  if (runner) note({ type: 'stopping', process: name, limitMs: settings.stopLimitMs });
  await app.close();
  if (runner) note({ type: 'down', process: name, timers: 0 });
  process.exit(0);
}
process.on('SIGTERM', () => void stop());

const commands = {
  usage: async ({ when }) => note({ type: 'usage', process: name, when, ...(await usage()) }),
  also: async ({ kind, times }) => producer.also(kind, times),
  finish: () => producer.finish(),
  rest: ({ withinMs }) => restWithin(app.get(lib.JobCatalog), withinMs),
};
createInterface(process.stdin)
  .on('line', (line) => {
    const { command, number, ...given } = JSON.parse(line);
    void commands[command](given).then(() => say(`did ${number}`));
  })
  .on('close', () => process.exit(1));
say('ready');
