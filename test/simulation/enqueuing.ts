import type { EnqueueOptions } from '../../lib/task/enqueue-options.js';
import { QueueClosedError } from '../../lib/queue/errors.js';
import { LockConflictError } from '../../lib/task/errors.js';
import { plainJobs, rareJob, uniqueJobs } from './sim-jobs.js';
import type { Sim, SimProcess } from './sim-process.js';

const queueOf: Record<string, string> = { Plain: 'a', Once: 'a', Timed: 'b', Chained: 'b', Rare: 'b' };

/** Enqueues as an application would, and writes down what it was told. */
export class Enqueuing {
  private count = 0;

  constructor(private readonly sim: Sim) {}

  by(process: SimProcess): void {
    const { random, history, world } = this.sim;
    const job = random.chance(0.4) ? random.pick(uniqueJobs) : random.pick([...plainJobs, rareJob]);
    const queue = queueOf[job.name] ?? 'c';
    // Now and then an id that may be taken.
    const isStatic = random.chance(0.1);
    const id = isStatic ? `static-${random.int(1, 3)}` : `t${++this.count}`;
    const options: EnqueueOptions = {
      id,
      replace: isStatic && random.chance(0.5) ? true : undefined,
      priority: random.pick([0, 0, 0, -5, 5]),
      in: random.chance(0.3) ? random.int(0, 8_000) : undefined,
      expires: random.chance(0.05) ? 2_000 : undefined,
    };
    const params = { key: random.int(1, 3) };
    const ask = async () => {
      history.add({ type: 'enqueue', process: process.name, queue, id });
      try {
        const { status, id: storedAs, holder = storedAs } = await process.enqueue(job, params, options);
        history.add({ type: 'acknowledged', queue, id, status, holder: holder === id ? undefined : holder });
      } catch (error) {
        if (error instanceof LockConflictError)
          return history.add({ type: 'acknowledged', queue, id, status: 'raised', holder: error.holder });
        const { sent } = error instanceof QueueClosedError ? { sent: false } : (error as { sent?: boolean });
        if (sent === undefined) throw error;
        history.add({ type: 'refused', queue, id, sent });
      } finally {
        process.enqueues--;
      }
    };
    process.enqueues++;
    world.after(0, () => void ask(), process);
  }
}
