import 'reflect-metadata';
import os from 'node:os';
import { Redis } from 'ioredis';
import { printTable } from '../table.js';
import { measureDueCall } from './due-call.js';
import { measureLateness } from './lateness.js';
import { measureRest } from './rest.js';

const many = 10_000;

/** Measures in this process, on a server that is ours alone: it is emptied again and again. */
export async function main(url: string, args: readonly string[]): Promise<void> {
  const seconds = args.includes('--quick') ? 5 : 20;
  const admin = new Redis(url);
  try {
    const version = /^(?:redis|valkey)_version:(\S+)/m.exec(await admin.info('server'))![1];
    const cpus = os.cpus();
    console.log(
      `${cpus[0]!.model}, ${cpus.length} cores, Node ${process.versions.node}, Redis ${version} on loopback without persistence`,
    );
    printTable(`From slot to run(), 20 schedules of a second for ${seconds} s, idle runner`, [
      ...(await measureLateness('memory', undefined, seconds)),
      ...(await measureLateness('redis', admin, seconds)),
    ]);
    printTable(`A runner with nothing due for ${seconds} s, on redis`, [
      await measureRest(admin, 0, seconds),
      await measureRest(admin, many, seconds),
    ]);
    printTable('One look (`due`) with one schedule due, milliseconds', [
      await measureDueCall('memory', undefined, 1),
      await measureDueCall('memory', undefined, many),
      await measureDueCall('redis', admin, 1),
      await measureDueCall('redis', admin, many),
    ]);
  } finally {
    admin.disconnect();
  }
}
