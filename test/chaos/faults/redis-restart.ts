import { setTimeout as sleep } from 'node:timers/promises';
import { now } from '../notebook.js';
import { keepsAlways, keepsEverySecond, openRedis, type RedisStage } from '../stages/redis-stage.js';
import type { Fault, Scene } from './fault.js';

async function killAndRestart({ crew, stage, random, pace }: Scene): Promise<void> {
  const { server } = stage as RedisStage;
  const isBack = crew.cutOff(crew.alive);
  await server.kill('SIGKILL');
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
  inject: killAndRestart,
};

/** The same with a file that is written every second: what it took since may be lost. */
export const redisRestartEverySecond: Fault = {
  name: 'Redis killed and restarted, AOF everysec',
  backends: ['redis'],
  openStage: () => openRedis(keepsEverySecond),
  async inject(scene) {
    // A second by its own promise, another where the disk is slow.
    const sinceAt = now() - 2_000;
    await killAndRestart(scene);
    scene.notebook.note({ type: 'forgot', sinceAt });
  },
};
