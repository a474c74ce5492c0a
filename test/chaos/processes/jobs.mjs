// The jobs of a chaos round. What a run does is said by its params; what it did, by its notes.
import { setTimeout as sleep } from 'node:timers/promises';
import { dieHere } from './crash.mjs';

const nothing = new Int32Array(new SharedArrayBuffer(4));
export const queues = ['red', 'green', 'blue'];
export const tick = { queue: 'red', id: 'Tick' };
const tickEveryMs = 500;
const bookingMs = 10_000;

export function makeJobs({ Job, Periodic }, { name, note, reach, epochs, prefix, version, store, running }) {
  const isAlone = store.postgres?.pglite !== undefined;
  const runOf = ({ queue, id, attempt }) => ({
    process: name,
    queue,
    id,
    attempt,
    epoch: epochs.get(`${queue}/${id}/${attempt}`) ?? 0,
  });

  /** A handler between its notes. It goes on after its signal, as many do, so that its outcome is offered too late. */
  const noted = async (task, work) => {
    const run = runOf(task);
    running.add(run);
    note({ type: 'started', ...run, slot: task.slot?.getTime() });
    reach('run:begun');
    task.signal.addEventListener('abort', () => note({ type: 'aborted', ...run }));
    try {
      await work(() => {
        note({ type: 'effect', ...run });
        reach('run:effect');
      });
    } finally {
      note({ type: 'ended', ...run });
      running.delete(run);
    }
  };

  class Plain {
    run({ ms }, task) {
      return noted(task, async (effect) => {
        await sleep(ms);
        effect();
      });
    }
  }
  class Failing {
    run({ times }, task) {
      return noted(task, async (effect) => {
        await sleep(5);
        if (task.attempt <= times) throw new Error(`not yet, at attempt ${task.attempt}`);
        effect();
      });
    }
  }
  class Single extends Plain {}
  class Newer extends Plain {}
  class Later extends Plain {}
  class Blocking {
    run({ ms }, task) {
      return noted(task, async (effect) => {
        Atomics.wait(nothing, 0, 0, ms);
        effect();
      });
    }
  }
  class Poison {
    run(_, task) {
      return noted(task, () => dieHere(note, name));
    }
  }
  class Booking {
    run({ ms }, task) {
      return noted(task, (effect) =>
        task.transaction(async (tx) => {
          await sleep(ms);
          if (isAlone)
            await tx.query(
              `CREATE TABLE IF NOT EXISTS "${prefix}".effects (queue text, id text, process text)`,
            );
          const values = [task.queue, task.id, name];
          await tx.query(`INSERT INTO "${prefix}".effects (queue, id, process) VALUES ($1, $2, $3)`, values);
          effect();
        }),
      );
    }
  }
  class Tick {
    run(_, task) {
      return noted(task, async (effect) => effect());
    }
  }
  // Enough for innocents: each death of a neighbour costs an attempt.
  const base = { queue: 'red', keep: '1h', retries: 20 };
  Job({ ...base, name: 'Plain' })(Plain);
  Job({ ...base, name: 'Failing', backoff: '100ms' })(Failing);
  Job({ ...base, name: 'Single', unique: { lock: 'until_completed', by: ['key'] } })(Single);
  Job({ ...base, name: 'Blocking' })(Blocking);
  Job({ ...base, name: 'Poison', retries: 1 })(Poison);
  // A query whose connection has fallen silent is never answered: only a timeout ends such a run.
  Job({ ...base, name: 'Booking', timeout: bookingMs })(Booking);
  Job({ ...base, name: 'Newer' })(Newer);
  Job({ ...base, name: 'Later' })(Later);
  Periodic(tickEveryMs, { ...base, name: 'Tick' })(Tick);
  const all = { Plain, Later, Failing, Single, Blocking, Poison, Booking, Tick };
  return version === 1 ? all : { ...all, Newer };
}
