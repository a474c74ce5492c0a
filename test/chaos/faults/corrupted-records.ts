import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresStage } from '../stages/postgres-stage.js';
import type { RedisStage } from '../stages/redis-stage.js';
import type { Fault, Scene } from './fault.js';

const times = 6;
const rubbish = '{"ms":';

/** What is stored of some tasks that are not due yet becomes unreadable. */
export const corruptedRecords: Fault = {
  name: 'corrupted records',
  backends: ['redis', 'postgres'],
  isCheap: true,
  costsNothing: true,
  async inject(scene) {
    const { crew, auditor, notebook, pace } = scene;
    await crew.producer.ask('also', { kind: 'Later', times });
    await sleep(pace.sweepMs);
    const { tasks } = await auditor.catalog.tasks({ state: 'scheduled' }, { limit: 1_000 });
    const late = tasks
      .toSorted((one, other) => other.dueAt.getTime() - one.dueAt.getTime())
      .slice(0, times / 2);
    for (const task of late) {
      await spoil(scene, task.queue, task.id);
      notebook.note({ type: 'spoilt', queue: task.queue, id: task.id });
    }
    await sleep(pace.leaseMs);
  },
};

async function spoil({ stage, prefix }: Scene, queue: string, id: string): Promise<void> {
  if (stage.backend === 'postgres') {
    const { query } = stage as PostgresStage;
    await query(`UPDATE "${prefix}".tasks SET params = $1 WHERE queue = $2 AND id = $3`, [
      rubbish,
      queue,
      id,
    ]);
    return;
  }
  const { admin } = stage as RedisStage;
  const key = `${prefix}:{${queue}}:tasks`;
  const record = (await admin.hget(key, id))!;
  // The params stand at the end.
  await admin.hset(key, id, record.slice(0, record.lastIndexOf('\x1f') + 1) + rubbish);
}
