import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresStage } from '../stages/postgres-stage.js';
import type { Fault } from './fault.js';

/** The immediate shutdown, after which the server recovers from its log. */
export const postgresRestart: Fault = {
  name: 'PostgreSQL restarted, immediate shutdown',
  backends: ['postgres'],
  short: ['postgres'],
  isCheap: true,
  hurtsServer: true,
  async inject({ crew, stage, random, pace }) {
    const { server } = stage as PostgresStage;
    const isBack = crew.cutOff(crew.alive);
    await server.kill('SIGQUIT');
    await sleep(random.between(0, 1.3 * pace.leaseMs));
    await server.restart();
    isBack();
  },
};
