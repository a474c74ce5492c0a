import os from 'node:os';
import { Redis } from 'ioredis';
import { askOf } from '../side-by-side/ask.js';
import { peerVersion } from '../side-by-side/child/peers.js';
import { measureEnqueue } from '../side-by-side/measures/enqueue.js';
import { measureFlat } from '../side-by-side/measures/flat.js';
import { measureLatency } from '../side-by-side/measures/latency.js';
import { measureProcess } from '../side-by-side/measures/process.js';
import { measureUnique } from '../side-by-side/measures/unique.js';
import { manner, runMeasures, type Measures } from '../side-by-side/run-measures.js';
import { readSettings, type Settings } from '../side-by-side/settings.js';
import { flatTasks, latencyGoals, loads, systems, uniqueTasks, ways } from './asked.js';
import { measureCommands } from './measures/commands.js';
import { measureDue } from './measures/due.js';
import { measureIdle } from './measures/idle.js';
import { measureMemory } from './measures/memory.js';
import type { RedisBench } from './redis-bench.js';

const measures: Measures<RedisBench> = {
  process: (bench) => measureProcess(bench, loads),
  enqueue: (bench) => measureEnqueue(bench, ways),
  unique: (bench) => measureUnique(bench, uniqueTasks),
  latency: (bench) => measureLatency(bench, latencyGoals),
  due: measureDue,
  memory: measureMemory,
  commands: measureCommands,
  idle: measureIdle,
  flat: (bench) => measureFlat(bench, flatTasks),
};

/** Measures on a server that is ours alone: it is emptied again and again. */
export async function main(url: string, args: readonly string[]): Promise<void> {
  const settings = readSettings(args, { command: 'bench:redis', measures: Object.keys(measures), systems });
  const admin = new Redis(url);
  try {
    const bench: RedisBench = {
      url,
      admin,
      settings,
      ask: askOf(new URL('child/child.js', import.meta.url)),
      empty: async () => void (await admin.flushall('SYNC')),
      place: async (number) => `${url}/${number}`,
      rest: async () => undefined,
      say: (text) => console.error(`… ${text}`),
    };
    await runMeasures(bench, measures, () => describe(admin, settings));
  } finally {
    admin.disconnect();
  }
}

async function describe(admin: Redis, settings: Settings) {
  const cpus = os.cpus();
  const redis = /^(?:redis|valkey)_version:(\S+)/m.exec(await admin.info('server'))![1];
  return {
    machine: `${cpus[0]!.model}, ${cpus.length} cores, ${Math.round(os.totalmem() / 2 ** 30)} GB`,
    versions: `Node ${process.versions.node}, Redis ${redis}, BullMQ ${peerVersion('bullmq')}, bee-queue ${peerVersion('bee-queue')}`,
    settings: `Redis on loopback without persistence; ${manner(settings)}`,
  };
}
