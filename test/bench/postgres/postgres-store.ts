import { execFileSync } from 'node:child_process';
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
import type { BenchStore } from '../store.js';
import { flatTasks, latencyGoals, loads, otherTasks, packages, systems, uniqueTasks, ways } from './asked.js';
import { Databases } from './databases.js';
import { syncMs } from './disk.js';
import { measureIdle } from './measures/idle.js';
import { measureSize } from './measures/size.js';
import { measureSnapshot } from './measures/snapshot.js';
import type { PostgresBench } from './postgres-bench.js';

/** Both settings of graphile-worker enqueue alike, and store alike. */
const sameAsDefault = 'graphile tuned';

export const postgresMeasures: Measures<PostgresBench> = {
  process: (bench) => measureProcess(bench, loads),
  enqueue: (bench) => measureEnqueue(without(bench, sameAsDefault), ways),
  pair: (bench) => measurePair(bench, otherTasks),
  queues: (bench) => measureQueues(without(bench, raw), otherTasks),
  features: (bench) => measureFeatures(bench, otherTasks),
  unique: (bench) => measureUnique(bench, uniqueTasks),
  latency: (bench) => measureLatency(bench, latencyGoals),
  load: measureLoad,
  due: (bench) => measureDue(without(bench, raw), []),
  boot: measureBoot,
  size: (bench) => measureSize(without(bench, sameAsDefault)),
  idle: (bench) => measureIdle(without(bench, raw)),
  flat: (bench) => measureFlat(bench, flatTasks),
  snapshot: measureSnapshot,
};

/** Measures on a server that is ours alone, each sample in a database that is made for it. */
export function postgresBench(databases: Databases, settings: Settings, ask: Ask): PostgresBench {
  const name = 'bench';
  const url = databases.url(name);
  return {
    url,
    settings,
    ask,
    async empty() {
      await databases.dropAll();
      await databases.make(name);
    },
    place: (number) => databases.make(`${name}_${number}`),
    rest: (place = url) => databases.analyze(place),
    holdSnapshot: () => databases.holdSnapshot(url),
    transactions: () => databases.transactions(name),
    bytes: () => databases.bytes(name),
    say: (text) => console.error(`… ${text}`),
  };
}

export const postgresStore: BenchStore = {
  name: 'postgres',
  measures: Object.keys(postgresMeasures),
  systems,

  async run(settings, tools, made) {
    const hasPeers = settings.systems.some((system) => system in packages);
    if (hasPeers) tools.installPeers();
    // That of the peers is newer than ours need be, and all are measured on one.
    const node = hasPeers ? tools.newerNode() : process.execPath;
    const server = await tools.startPostgres();
    try {
      const databases = new Databases(server.url);
      const ask = askOf(new URL('child/child.js', import.meta.url), node);
      const before = syncMs();
      const describe = async () => ({
        machine: machine(),
        disk: `a page is on it after ${before.toFixed(2)} ms before the measures, ${syncMs().toFixed(2)} ms after them`,
        versions: [
          `Node ${execFileSync(node, ['--version'], { encoding: 'utf8' }).trim().slice(1)}`,
          `PostgreSQL ${await databases.version()}`,
          ...peerVersions(packages, settings.systems),
        ].join(', '),
        settings: `PostgreSQL on loopback, as durable as by default; ${manner(settings)}`,
      });
      await runMeasures(postgresBench(databases, settings, ask), postgresMeasures, describe, made);
    } finally {
      await server.stop();
    }
  },
};
