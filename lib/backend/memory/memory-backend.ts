import { SystemClock, type Clock } from '../../task/clock.js';
import type { Backend, BackendSettings } from '../backend.js';
import { MemoryBell } from './memory-bell.js';
import { MemoryCatalog } from './memory-catalog.js';
import { MemoryEventWire } from './memory-event-wire.js';
import { MemoryQueues } from './memory-queues.js';
import { MemorySchedules } from './memory-schedules.js';
import { MemoryStats } from './memory-stats.js';
import { MemoryTasks } from './memory-tasks.js';

export interface MemoryBackendOptions {
  /** @default the system's clock */
  readonly clock?: Clock;
}

/** The embedded store: the whole contract in one process, for development, tests and work that may be lost on exit. */
export function memoryBackend({ clock = new SystemClock() }: MemoryBackendOptions = {}): Backend {
  const bell = new MemoryBell();
  const queues = new MemoryQueues(bell);
  const tasks = new MemoryTasks(queues, clock);
  const schedules = new MemorySchedules(queues, tasks, clock);
  return {
    name: 'memory',
    tasks,
    schedules,
    catalog: new MemoryCatalog(queues, clock),
    stats: new MemoryStats(schedules, queues.lost, clock),
    bell,
    events: new MemoryEventWire(),
    async open(settings: BackendSettings) {
      queues.settings = settings;
    },
    async close() {},
  };
}
