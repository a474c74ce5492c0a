import { execFileSync } from 'node:child_process';
import os from 'node:os';
import { askOf } from '../side-by-side/ask.js';
import { peerVersion } from '../side-by-side/child/peers.js';
import { measureEnqueue } from '../side-by-side/measures/enqueue.js';
import { measureFlat } from '../side-by-side/measures/flat.js';
import { measureLatency } from '../side-by-side/measures/latency.js';
import { measureProcess } from '../side-by-side/measures/process.js';
import { measureUnique } from '../side-by-side/measures/unique.js';
import { manner, runMeasures, type Measures } from '../side-by-side/run-measures.js';
import { readSettings } from '../side-by-side/settings.js';
import { flatTasks, latencyGoals, loads, systems, uniqueTasks, ways } from './asked.js';
import { Databases } from './databases.js';
import { syncMs } from './disk.js';
import { measureSnapshot } from './measures/snapshot.js';
import type { PostgresBench } from './postgres-bench.js';

const measures: Measures<PostgresBench> = {
  process: (bench) => measureProcess(bench, loads),
  enqueue: (bench) => measureEnqueue(enqueuing(bench), ways),
  unique: (bench) => measureUnique(bench, uniqueTasks),
  latency: (bench) => measureLatency(bench, latencyGoals),
  flat: (bench) => measureFlat(bench, flatTasks),
  snapshot: measureSnapshot,
};

/** Both settings of graphile-worker enqueue alike. */
function enqueuing(bench: PostgresBench): PostgresBench {
  const systems = bench.settings.systems.filter((system) => system !== 'graphile tuned');
  return { ...bench, settings: { ...bench.settings, systems } };
}

/** Measures on a server that is ours alone, with processes of the given Node: that of the peers is newer than ours need be. */
export async function main(serverUrl: string, node: string, args: readonly string[]): Promise<void> {
  const settings = readSettings(args, {
    command: 'bench:postgres',
    measures: Object.keys(measures),
    systems,
  });
  const databases = new Databases(serverUrl);
  const bench: PostgresBench = {
    url: databases.url('bench'),
    settings,
    ask: askOf(new URL('child/child.js', import.meta.url), node),
    async empty() {
      await databases.dropAll();
      await databases.make('bench');
    },
    place: (number) => databases.make(`bench_${number}`),
    rest: (url = bench.url) => databases.analyze(url),
    holdSnapshot: () => databases.holdSnapshot(bench.url),
    say: (text) => console.error(`… ${text}`),
  };
  const before = syncMs();
  await runMeasures(bench, measures, async () => {
    const cpus = os.cpus();
    const nodeVersion = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
    const peers = ['bullmq', 'pg-boss', 'graphile-worker'].map((name) => `${name} ${peerVersion(name)}`);
    return {
      machine: `${cpus[0]!.model}, ${cpus.length} cores, ${Math.round(os.totalmem() / 2 ** 30)} GB`,
      disk: `a page is on it after ${before.toFixed(2)} ms before the measures, ${syncMs().toFixed(2)} ms after them`,
      versions: `Node ${nodeVersion}, PostgreSQL ${await databases.version()}, ${peers.join(', ')}`,
      settings: `PostgreSQL on loopback, as durable as by default; ${manner(settings)}`,
    };
  });
}
