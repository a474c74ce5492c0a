import type { Backend, Bell, CatalogStore, TaskStore } from '../../lib/backend/backend.js';
import type { EventWire } from '../../lib/backend/event-wire.js';
import type { StatsStore } from '../../lib/backend/stats-store.js';
import type { Settled, Settlement } from '../../lib/task/outcome.js';
import type { Network } from './network.js';
import { SimLeaseGuard } from './sim-lease-guard.js';
import type { SimProcess } from './sim-process.js';
import { simSchedules } from './sim-schedules.js';
import { SimTasks } from './sim-tasks.js';
import type { StoreWatch } from './store-watch.js';
import type { Weather } from './weather.js';
import type { Kind, World } from './world.js';

/** The store that all processes share, and the way to it. */
export interface SimStore {
  readonly memory: Backend;
  readonly watch: StoreWatch;
  readonly network: Network;
  readonly weather: Weather;
  readonly world: World;
  readonly partOf: (queue: string) => number;
}

/** They change nothing. */
const looks = new Set([
  ...['now', 'due', 'get', 'list', 'queues', 'listen', 'declare', 'put', 'defer', 'report', 'leave'],
]);

/** The line of one process to the store. */
export class Line {
  constructor(
    private readonly store: SimStore,
    private readonly process: SimProcess,
  ) {}

  get weather(): Weather {
    return this.store.weather;
  }

  partOf(queue: string): number {
    return this.store.partOf(queue);
  }

  call<T>(part: number, what: string, effect: (tasks: TaskStore) => Promise<T>, kind?: Kind): Promise<T> {
    return this.callStore(part, what, ({ tasks }) => effect(tasks), kind);
  }

  callStore<T>(part: number, what: string, effect: (memory: Backend) => Promise<T>, kind?: Kind): Promise<T> {
    const { memory, watch, network } = this.store;
    const process = this.process.name;
    const step = async (isGivenUp: boolean, sentAt: number) => {
      const result = await effect(memory);
      const leftAt = this.weather.parts === 1 ? sentAt : undefined;
      if (!looks.has(what)) watch.observe({ process, what, isGivenUp, sentAt: leftAt });
      return result;
    };
    return network.call(this.process, part, step, kind);
  }

  settle(part: number, settlements: readonly Settlement[]): Promise<Settled[]> {
    const { memory, watch, network } = this.store;
    const process = this.process.name;
    return network.call(this.process, part, async () => {
      const answers = await memory.tasks.settle(settlements);
      watch.observe({ process, what: 'settle', settlements, answers });
      return answers;
    });
  }

  ring(wake: () => void): void {
    this.store.network.ring(this.process, wake);
  }
}

/** A backend as one process has it: the memory store behind a line that fails. */
export function simBackend(store: SimStore, process: SimProcess): Backend {
  const { memory, weather, world } = store;
  const line = new Line(store, process);
  const tasks = new SimTasks(line);
  return {
    ...memory,
    name: 'simulated',
    tasks,
    schedules: simSchedules(line),
    catalog: asked(line, ({ catalog }) => catalog),
    stats: asked(line, ({ stats }) => stats),
    bell: simBell(line, memory.bell),
    events: simWire(line, memory.events),
    guardLeases: !weather.hasGuard
      ? undefined
      : (settings) =>
          new SimLeaseGuard(world, process, settings, (leases) =>
            tasks.renew(leases, settings.leaseMs, true),
          ),
  };
}

/** A part of the store apart from the hot path: each call goes over the line. */
function asked<Part extends CatalogStore | StatsStore>(line: Line, part: (memory: Backend) => Part): Part {
  return new Proxy({} as Part, {
    get:
      (_, name: string) =>
      (...said: unknown[]) =>
        line.callStore(0, name, (memory) => {
          const asks = part(memory) as unknown as Record<string, (...said: unknown[]) => Promise<unknown>>;
          return asks[name]!(...said);
        }),
  });
}

/** What is sent is heard late, out of order or not at all; and to listen may fail. */
function simWire(line: Line, wire: EventWire): EventWire {
  return {
    send: (text) => line.ring(() => wire.send(text)),
    listen: (heard) => line.callStore(0, 'listen', () => wire.listen((text) => line.ring(() => heard(text)))),
  };
}

/** Rings are lost, late and out of order; and to listen may fail. */
function simBell(line: Line, bell: Bell): Bell {
  return {
    lossless: false,
    ring: (queue, cancelledId) => line.ring(() => bell.ring(queue, cancelledId)),
    listen: (queues, wake) =>
      line.callStore(0, 'listen', () =>
        bell.listen(queues, (queue, cancelledId) => line.ring(() => wake(queue, cancelledId))),
      ),
    listenToSchedules: (queues, wake) =>
      line.callStore(0, 'listen', () =>
        bell.listenToSchedules(queues, (queue) => line.ring(() => wake(queue))),
      ),
  };
}
