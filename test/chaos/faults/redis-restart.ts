import { setTimeout as sleep } from 'node:timers/promises';
import { now } from '../notebook.js';
import { keepsAlways, keepsEverySecond, openRedis, type RedisStage } from '../stages/redis-stage.js';
import type { Fault, Scene } from './fault.js';
import { injected } from './happened.js';

const serversKilled = 'servers killed';

async function killAndRestart({ crew, stage, random, pace, notebook }: Scene): Promise<void> {
  const { server } = stage as RedisStage;
  const isBack = crew.cutOff(crew.alive);
  await server.kill('SIGKILL');
  notebook.note({ type: 'injected', what: serversKilled, count: 1 });
  await sleep(random.between(0, 1.5 * pace.leaseMs));
  await server.restart();
  isBack();
}

/** kill -9 of Redis, which has everything on disk. */
export const redisRestart: Fault = {
  name: 'Redis killed and restarted, AOF always',
  backends: ['redis'],
  short: ['redis'],
  isCheap: true,
  openStage: () => openRedis(keepsAlways),
  happened: injected(serversKilled),
  inject: killAndRestart,
};

/** The same with a file that is written every second: what it took since may be lost. */
export const redisRestartEverySecond: Fault = {
  name: 'Redis killed and restarted, AOF everysec',
  backends: ['redis'],
  openStage: () => openRedis(keepsEverySecond),
  happened: injected(serversKilled),
  async inject(scene) {
    // A second by its own promise, another where the disk is slow.
    const sinceAt = now() - 2_000;
    await killAndRestart(scene);
    scene.notebook.note({ type: 'forgot', sinceAt });
  },
};
