import { setTimeout as sleep } from 'node:timers/promises';
import { clusterClient } from '../../support/redis-cluster.js';
import type { ClusterStage } from '../stages/cluster-stage.js';
import type { PostgresStage } from '../stages/postgres-stage.js';
import type { RedisStage } from '../stages/redis-stage.js';
import { servers, type Fault, type Scene } from './fault.js';
import { all, some } from './happened.js';

const times = 6;
/** Cut off in the middle, without a beginning, and no JSON at all. */
const rubbish = ['{"ms":', '10}', '\u0001rubbish'];
/** By then they are found and spoilt, however busy the machine: they become due much later. */
const withinMs = 8_000;

/** What is stored of some tasks that are not due yet becomes unreadable. */
export const corruptedRecords: Fault = {
  name: 'corrupted records',
  backends: servers,
  isCheap: true,
  costsNothing: true,
  happened: all(
    some('tasks that were spoilt', ({ type }) => type === 'spoilt', rubbish.length),
    some('parked tasks', (event) => event.type === 'listed' && event.state === 'parked', rubbish.length),
  ),
  async inject(scene) {
    const { crew, notebook } = scene;
    await crew.producer.ask('also', { kind: 'Later', times });
    const late = await laterTasks(scene);
    for (const [at, { queue, id }] of late.entries()) {
      await spoil(scene, queue, id, rubbish[at]!);
      notebook.note({ type: 'spoilt', queue, id });
    }
    await sleep(withinMs / 2);
  },
};

/** Half of them, so that the others show that their neighbours go on. */
async function laterTasks({ auditor }: Scene): Promise<{ queue: string; id: string }[]> {
  const until = Date.now() + withinMs;
  while (Date.now() < until) {
    const { tasks } = await auditor.catalog.tasks({ state: 'scheduled', job: 'Later' }, { limit: 1_000 });
    if (tasks.length === times) return tasks.slice(0, rubbish.length);
    await sleep(50);
  }
  throw new Error(`there were no ${times} tasks to spoil within ${withinMs} ms`);
}

async function spoil({ stage, prefix }: Scene, queue: string, id: string, params: string): Promise<void> {
  if (stage.backend === 'postgres') {
    const { query } = stage as PostgresStage;
    const update = `UPDATE "${prefix}".tasks SET params = $1 WHERE queue = $2 AND id = $3 RETURNING id`;
    const { length } = await query(update, [params, queue, id]);
    if (length !== 1) throw new Error(`task ${id} is not there to be spoilt`);
    return;
  }
  const client =
    stage.backend === 'redis'
      ? (stage as RedisStage).admin
      : clusterClient((stage as ClusterStage).cluster.url);
  try {
    const key = `${prefix}:{${queue}}:tasks`;
    const record = await client.hget(key, id);
    if (record === null) throw new Error(`task ${id} is not there to be spoilt`);
    // The params stand at the end.
    await client.hset(key, id, record.slice(0, record.lastIndexOf('\x1f') + 1) + params);
  } finally {
    if (stage.backend === 'redis-cluster') client.disconnect();
  }
}
