import type { ClaimedTask } from '../../lib/backend/backend.js';
import type { Task } from '../../lib/task/task.js';
import type { SimProcess } from './sim-process.js';

/** What a handler does, drawn anew for each run. */
export function simRun(process: SimProcess, claimed: ClaimedTask, task: Task): unknown {
  const { random, weather, history, network } = process.sim;
  const run = process.runOf(claimed);
  const tell = (type: 'started' | 'effect' | 'aborted' | 'ended') => history.add({ type, ...run });
  const draw = (share: number) => !network.isCalm && random.chance(share);
  tell('started');
  task.signal.addEventListener('abort', () => tell('aborted'));
  process.runs++;
  const ended = () => {
    process.runs--;
    tell('ended');
  };
  const finish = () => {
    tell('effect');
    try {
      if (draw(weather.failing)) throw new Error('simulated failure');
      if (draw(weather.failing / 8)) task.fail('simulated verdict', { retry: false });
      if (draw(0.05)) task.snooze(Math.round(random.between(10, 3_000)));
      return 'done';
    } finally {
      ended();
    }
  };
  if (draw(weather.poison)) {
    process.after(random.longTailed(1, weather.leaseMs), () => process.die());
    return new Promise(() => undefined);
  }
  if (draw(weather.blocking)) process.stall(random.longTailed(10, 2 * weather.leaseMs));
  if (random.chance(0.4)) return finish();
  // Also where nothing fails there are long runs.
  if (draw(weather.lingering) || random.chance(0.02)) return lingering(process, task, finish);
  return process.sleep(random.longTailed(1, weather.leaseMs / 2)).then(finish);
}

/** Takes longer than a lease; some give up when they are told to, some when it suits them. */
async function lingering(process: SimProcess, task: Task, finish: () => unknown): Promise<unknown> {
  const { random, weather } = process.sim;
  const sleep = process.sleep(random.between(weather.leaseMs / 2, 3 * weather.leaseMs));
  if (random.chance(0.4)) return sleep.then(finish);
  const told = new Promise<void>((resolve) => task.signal.addEventListener('abort', () => resolve()));
  await Promise.race([sleep, told]);
  return finish();
}
