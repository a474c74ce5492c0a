import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresStage } from '../stages/postgres-stage.js';
import type { Fault } from './fault.js';

/** Every connection of the processes is ended by the server, again and again. */
export const postgresBackendKills: Fault = {
  name: 'PostgreSQL backends terminated',
  backends: ['postgres'],
  isCheap: true,
  hurtsServer: true,
  async inject({ crew, stage, random }) {
    const { query } = stage as PostgresStage;
    const ofOthers = "pid <> pg_backend_pid() AND backend_type = 'client backend'";
    for (let time = 0; time < 4; time++) {
      const isBack = crew.cutOff(crew.alive);
      await query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${ofOthers}`);
      await sleep(random.between(50, 600));
      isBack();
    }
  },
};
