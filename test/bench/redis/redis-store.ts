import { Redis } from 'ioredis';
import { askOf, type Ask } from '../side-by-side/ask.js';
import { without } from '../side-by-side/bench.js';
import { peerVersions } from '../side-by-side/child/peers.js';
import { measureBoot } from '../side-by-side/measures/boot.js';
import { measureDue } from '../side-by-side/measures/due.js';
import { measureEnqueue } from '../side-by-side/measures/enqueue.js';
import { measureFeatures } from '../side-by-side/measures/features.js';
import { measureFlat } from '../side-by-side/measures/flat.js';
import { measureLatency } from '../side-by-side/measures/latency.js';
import { measureLoad } from '../side-by-side/measures/load.js';
import { measurePair } from '../side-by-side/measures/pair.js';
import { measureProcess } from '../side-by-side/measures/process.js';
import { measureQueues } from '../side-by-side/measures/queues.js';
import { measureUnique } from '../side-by-side/measures/unique.js';
import { machine, manner, runMeasures, type Measures } from '../side-by-side/run-measures.js';
import type { Settings } from '../side-by-side/settings.js';
import { raw } from '../side-by-side/system.js';
import type { About, BenchStore } from '../store.js';
import {
  dueGoals,
  flatTasks,
  latencyGoals,
  loads,
  otherTasks,
  packages,
  systems,
  uniqueTasks,
  ways,
} from './asked.js';
import { measureCommands } from './measures/commands.js';
import { measureIdle } from './measures/idle.js';
import { measureMemory } from './measures/memory.js';
import type { RedisBench } from './redis-bench.js';

export const redisMeasures: Measures<RedisBench> = {
  process: (bench) => measureProcess(bench, loads),
  enqueue: (bench) => measureEnqueue(bench, ways),
  pair: (bench) => measurePair(bench, otherTasks),
  queues: (bench) => measureQueues(without(bench, raw), otherTasks),
  features: (bench) => measureFeatures(bench, otherTasks),
  unique: (bench) => measureUnique(bench, uniqueTasks),
  latency: (bench) => measureLatency(bench, latencyGoals),
  load: measureLoad,
  due: (bench) => measureDue(without(bench, raw), dueGoals),
  boot: measureBoot,
  memory: measureMemory,
  commands: measureCommands,
  idle: (bench) => measureIdle(without(bench, raw)),
  flat: (bench) => measureFlat(bench, flatTasks),
};

/** Measures on a server that is ours alone: it is emptied again and again. */
export function redisBench(url: string, admin: Redis, settings: Settings, ask: Ask): RedisBench {
  return {
    url,
    admin,
    settings,
    ask,
    empty: async () => void (await admin.flushall('SYNC')),
    place: async (number) => `${url}/${number}`,
    rest: async () => undefined,
    say: (text) => console.error(`… ${text}`),
  };
}

export const redisStore: BenchStore = {
  name: 'redis',
  measures: Object.keys(redisMeasures),
  systems,

  async run(settings, tools, made) {
    if (settings.systems.some((system) => system in packages)) tools.installPeers();
    const server = await tools.startRedis();
    const admin = new Redis(server.url);
    try {
      const ask = askOf(new URL('child/child.js', import.meta.url));
      const bench = redisBench(server.url, admin, settings, ask);
      await runMeasures(bench, redisMeasures, () => describe(admin, settings), made);
    } finally {
      admin.disconnect();
      await server.stop();
    }
  },
};

async function describe(admin: Redis, settings: Settings): Promise<About> {
  const redis = /^(?:redis|valkey)_version:(\S+)/m.exec(await admin.info('server'))![1]!;
  const peers = peerVersions(packages, settings.systems);
  return {
    machine: machine(),
    versions: [`Node ${process.versions.node}`, `Redis ${redis}`, ...peers].join(', '),
    settings: `Redis on loopback without persistence; ${manner(settings)}`,
  };
}
