import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresStage } from '../stages/postgres-stage.js';
import type { Fault } from './fault.js';
import { injected } from './happened.js';

/** The immediate shutdown, after which the server recovers from its log. */
export const postgresRestart: Fault = {
  name: 'PostgreSQL restarted, immediate shutdown',
  backends: ['postgres'],
  short: ['postgres'],
  isCheap: true,
  hurtsServer: true,
  happened: injected('servers killed'),
  async inject({ crew, stage, random, pace, notebook }) {
    const { server } = stage as PostgresStage;
    const isBack = crew.cutOff(crew.alive);
    await server.kill('SIGQUIT');
    notebook.note({ type: 'injected', what: 'servers killed', count: 1 });
    await sleep(random.between(0, 1.3 * pace.leaseMs));
    await server.restart();
    isBack();
  },
};
