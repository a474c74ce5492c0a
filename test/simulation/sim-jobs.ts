import { Job } from '../../lib/job/job.decorator.js';
import type { JobClass } from '../../lib/job/job-handler.js';
import { Periodic } from '../../lib/job/periodic.decorator.js';
import type { UniqueOptions } from '../../lib/task/unique-options.js';

/** What a run does is decided by the simulation, not here. */
function jobOf(name: string, decorate: (target: never) => void): JobClass {
  const target = {
    [name]: class {
      run(_params: unknown) {}
    },
  }[name]!;
  decorate(target as never);
  return target;
}

function unique(name: string, options: UniqueOptions): JobClass {
  return jobOf(name, Job({ queue: 'c', retries: 2, backoff: '700ms', unique: options }));
}

export const plainJobs = [
  jobOf('Plain', Job({ queue: 'a', retries: 2, backoff: '500ms', jitter: 0.3 })),
  jobOf('Once', Job({ queue: 'a', retries: 0 })),
  jobOf('Timed', Job({ queue: 'b', retries: 1, backoff: '1s', timeout: '3s' })),
  // Its `afterRun` takes its time, and begins another task.
  jobOf('Chained', Job({ queue: 'b', retries: 3, backoff: { type: 'exponential', delay: '300ms' } })),
];

export const uniqueJobs = [
  unique('UntilExecuting', { lock: 'until_executing' }),
  unique('WhileExecuting', { lock: 'while_executing' }),
  unique('OneByOne', { lock: 'while_executing', onConflict: 'reschedule', retryAfter: '800ms' }),
  unique('UntilExecuted', { lock: 'until_executed', onConflict: 'raise' }),
  unique('UntilCompleted', { lock: 'until_completed' }),
  unique('Newest', { lock: 'until_completed', onConflict: 'replace' }),
];

/** Not every process has it: what others park, one that has it takes up. */
export const rareJob = jobOf('Rare', Job({ queue: 'b', retries: 1, backoff: '500ms' }));

export const periodicJobs = [
  jobOf('Tick', Periodic('2s', { queue: 'a', overlap: 'skip', retries: 0 })),
  jobOf('Tock', Periodic('3s', { queue: 'b', overlap: 'queue', missed: { all: 3 }, retries: 1 })),
  jobOf('Tack', Periodic('2500ms', { queue: 'c', overlap: 'replace', retries: 2, backoff: '300ms' })),
];

export const everyMs: Record<string, number> = { Tick: 2_000, Tock: 3_000, Tack: 2_500 };

export const queueNames = ['a', 'b', 'c'];
