import { setTimeout as sleep } from 'node:timers/promises';
import { now } from '../notebook.js';
import { openPostgres, type PostgresStage } from '../stages/postgres-stage.js';
import { keepsEverySecond, openRedis, type RedisStage } from '../stages/redis-stage.js';
import { SmallDisk } from '../stages/small-disk.js';
import type { BackendName, Stage } from '../stages/stage.js';
import type { Fault } from './fault.js';

type OnDisk = (RedisStage | PostgresStage) & { readonly disk: SmallDisk };

// Redis ends by itself where every write must be on disk and cannot be; every second it refuses writes instead.
const open = { redis: (place: string) => openRedis(keepsEverySecond, place), postgres: openPostgres };

async function onSmallDisk(backend: 'redis' | 'postgres'): Promise<Stage> {
  const disk = new SmallDisk(backend === 'redis' ? 32 : 192);
  try {
    const stage: Stage = await open[backend](disk.folder);
    const close = async () => {
      await stage.close();
      disk.close();
    };
    return { ...stage, version: `${stage.version}, on a disk of its own`, disk, close } as Stage;
  } catch (error) {
    disk.close();
    throw error;
  }
}

/** The disk of the server is full for a while; a server that ends by that is started again when there is room. */
export const fullDisk: Fault = {
  name: 'full disk',
  backends: SmallDisk.isPossible ? (['redis', 'postgres'] satisfies BackendName[]) : [],
  openStage: (backend) => onSmallDisk(backend as 'redis' | 'postgres'),
  async inject({ crew, stage, notebook, pace }) {
    const { disk, server } = stage as OnDisk;
    const sinceAt = now() - 2_000;
    const isBack = crew.cutOff(crew.alive);
    disk.fill();
    await sleep(2 * pace.leaseMs);
    disk.makeRoom();
    if (!(await answers(stage as OnDisk))) await server.restart();
    // What was answered when it could not be written any more is not promised.
    if (stage.backend === 'redis') notebook.note({ type: 'forgot', sinceAt });
    await sleep(pace.leaseMs);
    isBack();
  },
};

async function answers(stage: OnDisk): Promise<boolean> {
  const asked = 'query' in stage ? stage.query('SELECT 1') : stage.admin.ping();
  const isThere = Promise.resolve(asked).then(
    () => true,
    () => false,
  );
  return Promise.race([isThere, sleep(3_000, false, { ref: false })]);
}
