import os from 'node:os';
import { Redis } from 'ioredis';
import type { Bench } from './bench.js';
import { peerVersion } from './child/peers.js';
import type { Figure } from './figures.js';
import { measureCommands } from './measures/commands.js';
import { measureDue } from './measures/due.js';
import { measureEnqueue } from './measures/enqueue.js';
import { measureFlat } from './measures/flat.js';
import { measureIdle } from './measures/idle.js';
import { measureLatency } from './measures/latency.js';
import { measureMemory } from './measures/memory.js';
import { measureProcess } from './measures/process.js';
import { measureUnique } from './measures/unique.js';
import { printReport } from './report.js';
import { readSettings, type MeasureName, type Settings } from './settings.js';

const measures: Record<MeasureName, (bench: Bench) => Promise<Figure[]>> = {
  process: measureProcess,
  enqueue: measureEnqueue,
  unique: measureUnique,
  latency: measureLatency,
  due: measureDue,
  memory: measureMemory,
  commands: measureCommands,
  idle: measureIdle,
  flat: measureFlat,
};

/** Measures on a server that is ours alone: it is emptied again and again. */
export async function main(url: string, args: readonly string[]): Promise<void> {
  const settings = readSettings(args);
  const admin = new Redis(url);
  try {
    const about = await describe(admin, settings);
    const say = (text: string) => console.error(`… ${text}`);
    const figures: Figure[] = [];
    for (const name of settings.only) figures.push(...(await measures[name]({ url, admin, settings, say })));
    if (settings.json) {
      console.log(JSON.stringify({ ...about, figures }, undefined, 2));
      return;
    }
    for (const [what, value] of Object.entries(about)) console.log(`- ${what}: ${value}`);
    printReport(figures);
  } finally {
    admin.disconnect();
  }
}

async function describe(admin: Redis, { rounds, quick }: Settings) {
  const cpus = os.cpus();
  const redis = /^(?:redis|valkey)_version:(\S+)/m.exec(await admin.info('server'))![1];
  return {
    machine: `${cpus[0]!.model}, ${cpus.length} cores, ${Math.round(os.totalmem() / 2 ** 30)} GB`,
    versions: `Node ${process.versions.node}, Redis ${redis}, BullMQ ${peerVersion('bullmq')}, bee-queue ${peerVersion('bee-queue')}`,
    settings:
      `Redis on loopback without persistence; no-op handlers, payload of 100 bytes, finished tasks removed; ` +
      `${rounds} interleaved round${rounds > 1 ? 's' : ''}${quick ? ' (quick: too short to quote)' : ''}, a fresh process each, warmed up before the clock starts`,
  };
}
