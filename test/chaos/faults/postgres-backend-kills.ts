import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresStage } from '../stages/postgres-stage.js';
import type { Fault } from './fault.js';
import { injected } from './happened.js';

/** Every connection of the processes is ended by the server, again and again. */
export const postgresBackendKills: Fault = {
  name: 'PostgreSQL backends terminated',
  backends: ['postgres'],
  isCheap: true,
  hurtsServer: true,
  happened: injected('connections ended', 4),
  async inject({ crew, stage, random, notebook }) {
    const { query } = stage as PostgresStage;
    const ofOthers = "pid <> pg_backend_pid() AND backend_type = 'client backend'";
    for (let time = 0; time < 4; time++) {
      const isBack = crew.cutOff(crew.alive);
      const ended = await query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${ofOthers}`);
      notebook.note({ type: 'injected', what: 'connections ended', count: ended.length });
      await sleep(random.between(50, 600));
      isBack();
    }
  },
};
