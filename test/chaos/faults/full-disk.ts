import { setTimeout as sleep } from 'node:timers/promises';
import { now } from '../notebook.js';
import { openPostgres, type PostgresStage } from '../stages/postgres-stage.js';
import { keepsEverySecond, openRedis, type RedisStage } from '../stages/redis-stage.js';
import { SmallDisk } from '../stages/small-disk.js';
import type { Stage } from '../stages/stage.js';
import type { Fault } from './fault.js';
import { wasRefused } from './happened.js';

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
  backends: ['redis', 'postgres'],
  impossible: SmallDisk.isPossible ? undefined : 'only root may mount a small disk',
  openStage: (backend) => onSmallDisk(backend as 'redis' | 'postgres'),
  happened: wasRefused,
  async inject({ crew, stage, notebook, pace }) {
    const { disk, server } = stage as OnDisk;
    const filledAt = now();
    const isBack = crew.cutOff(crew.alive);
    disk.fill();
    await sleep(2 * pace.leaseMs);
    disk.makeRoom();
    if (!(await answers(stage as OnDisk))) {
      await server.restart();
      // Redis promises nothing of the second before it could write no more; who lives on has it all in memory.
      const refusedAt = notebook.read().find(({ type, at }) => type === 'refused' && at > filledAt)?.at;
      if (stage.backend === 'redis')
        notebook.note({ type: 'forgot', sinceAt: (refusedAt ?? filledAt) - 1_000 });
    }
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
