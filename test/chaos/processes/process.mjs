// One process of a chaos round: a Nest application on a build of the package, which works, produces, or both. Started by
// member.ts with one JSON argument; it takes commands from its standard input, a JSON text in each line, and ends with it.
import 'reflect-metadata';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { crashing } from './crash.mjs';
import { makeJobs, queues } from './jobs.mjs';
import { now, openNotes } from './notes.mjs';
import { Producer } from './producer.mjs';
import { restWithin } from './rest.mjs';
import { backendAt } from './store.mjs';
import { usage } from './usage.mjs';
import { watchedBackend } from './watched-backend.mjs';

const settings = JSON.parse(process.argv[2]);
const { name, build, store, prefix, file, runner, produce, enqueueTimeout } = settings;
const lib = await import(`${build}/index.js`);

const note = openNotes(file);
const reach = crashing(settings.crashAt, note, name);
const epochs = new Map();
// Handlers that are not over, be it after their task was handed back.
const running = new Set();
const jobs = makeJobs(lib, { ...settings, note, reach, epochs, running });
const backend = watchedBackend(await backendAt(store, build), { name, note, reach, epochs });
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
if (runner) note({ type: 'up', process: name, concurrency: runner.concurrency, clockMs: settings.clockMs });

// A loop that stood still may have lost leases through no fault of the library's: it says so itself.
const lookMs = 20;
const { leastStallMs, hangLimitMs } = settings;
let lookedAt = now();
const look = setInterval(() => {
  const stalledMs = now() - lookedAt - lookMs;
  if (stalledMs > leastStallMs) note({ type: 'stalled', process: name, forMs: stalledMs }, lookedAt);
  lookedAt = now();
}, lookMs);

const producer = produce && new Producer(app.get(lib.JobQueue), jobs, { ...produce, name, note });
producer?.start();

let isStopping = false;
const settleMs = 100;
/** Longer than the longest run. */
const handlersMs = 15_000;

/** Nothing ends the process but that nothing is left for it to do. */
async function stop() {
  isStopping = true;
  await producer?.finish();
  clearInterval(look);
  if (runner) note({ type: 'stopping', process: name, limitMs: settings.stopLimitMs });
  await app.close();
  const closedAt = now();
  process.stdin.destroy();
  // A socket that was closed is gone some turns later, with the timer that would have ended it.
  do await sleep(settleMs);
  while (running.size > 0 && now() < closedAt + handlersMs);
  const timers = process.getActiveResourcesInfo().filter((what) => what === 'Timeout').length;
  if (runner) note({ type: 'down', process: name, timers }, closedAt);
  setTimeout(() => {
    note({ type: 'hung', process: name, over: process.getActiveResourcesInfo().join(', ') });
    process.exit(3);
  }, hangLimitMs).unref();
}
process.once('SIGTERM', () => void stop());

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
  .on('close', () => isStopping || process.exit(1));
say('ready');
