import { openCluster } from './cluster-stage.js';
import { openPglite } from './pglite-stage.js';
import { openPostgres } from './postgres-stage.js';
import { openRedis } from './redis-stage.js';
import type { BackendName, Stage } from './stage.js';

export function openStage(backend: BackendName): Promise<Stage> {
  switch (backend) {
    case 'redis':
      return openRedis();
    case 'redis-cluster':
      return openCluster();
    case 'postgres':
      return openPostgres();
    case 'pglite':
      return openPglite();
  }
}

/** Whether rounds may go on side by side on one: a folder of PGlite is for one process, and two destroy it. */
export function mayBeShared(backend: BackendName): boolean {
  return backend !== 'pglite';
}

/** Servers that several rounds use, each begun when it is first needed. */
export class SharedStages {
  private readonly open = new Map<BackendName, Promise<Stage>>();

  of(backend: BackendName): Promise<Stage> {
    const stage = this.open.get(backend) ?? openStage(backend);
    this.open.set(backend, stage);
    // The next round may have more luck.
    stage.catch(() => this.open.delete(backend));
    return stage;
  }

  async close(): Promise<void> {
    const stages = [...this.open.values()];
    this.open.clear();
    // One that could not be opened is no reason to leave the others open.
    await Promise.allSettled(stages.map(async (stage) => (await stage).close()));
  }
}
