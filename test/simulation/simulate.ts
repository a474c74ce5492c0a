import { memoryBackend } from '../../lib/backend/memory/memory-backend.js';
import type { HistoryEvent } from '../history/history-event.js';
import { Driver } from './driver.js';
import { History } from './history.js';
import { Network } from './network.js';
import { Seeded } from './seeded.js';
import { StoreClock } from './sim-clock.js';
import { queueNames } from './sim-jobs.js';
import type { Sim } from './sim-process.js';
import type { Spoil } from './spoilt-stores.js';
import { StoreWatch } from './store-watch.js';
import { virtualGlobals } from './virtual-globals.js';
import { weatherOf } from './weather.js';
import { World } from './world.js';

/** The whole life of a simulated world, which its seed decides. */
export function simulate(seed: number, spoil: Spoil = (memory) => memory): Promise<HistoryEvent[]> {
  const world = new World();
  const random = new Seeded(seed);
  return virtualGlobals(world, random, async () => {
    const weather = weatherOf(random);
    const history = new History(world);
    const memory = spoil(memoryBackend({ clock: new StoreClock(world) }));
    const settings = { deadKeepMs: 86_400_000, cancelledKeepMs: 86_400_000, enqueueTimeoutMs: 4_000 };
    await memory.open({ prefix: 'jobs', ...settings });
    const network = new Network(world, random, weather);
    const watch = new StoreWatch(memory, queueNames, history, world);
    const partOf = (queue: string) => queueNames.indexOf(queue) % weather.parts;
    const store = { memory, watch, network, weather, world, partOf };
    const sim: Sim = { world, random, weather, history, network, store };
    await new Driver(sim).run();
    return history.events;
  });
}
