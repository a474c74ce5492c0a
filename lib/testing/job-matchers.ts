import type { JobClass } from '../job/job-handler.js';
import type { EnqueueOptions } from '../task/enqueue-options.js';
import type { EnqueuedTask } from './ledger.js';
import type { HandledParams, TestJobs } from './test-jobs.js';

/** Params or options of which a part is stated; where the whole stands, an asymmetric matcher may stand as well. */
export type Stated<T> = T extends readonly unknown[] | Date
  ? T
  : T extends object
    ? { [K in keyof T]?: unknown }
    : T;

/** What `expect(jobs)` can do after `expect.extend(jobMatchers)`. */
export interface JobMatchers<R = void> {
  /** Whether a task of this job was enqueued, with at least these params, and with at least these options of the call. */
  toHaveEnqueued<J extends JobClass>(
    job: J,
    params?: Stated<HandledParams<J>>,
    options?: { [K in keyof EnqueueOptions]?: unknown },
  ): R;
}

/** What jest and vitest give a matcher. */
interface MatcherTools {
  equals: (a: unknown, b: unknown, testers?: never[]) => boolean;
  utils: {
    stringify: (value: unknown) => string;
    diff: (expected: unknown, received: unknown) => string | null | undefined;
    iterableEquality: unknown;
    subsetEquality: unknown;
  };
}

/** For `expect.extend`, of jest and of vitest. */
export const jobMatchers = {
  toHaveEnqueued(
    this: MatcherTools,
    received: unknown,
    job: JobClass,
    ...stated: [params?: unknown, options?: unknown]
  ): { pass: boolean; message: () => string } {
    if (!isTestJobs(received))
      throw new TypeError('toHaveEnqueued is asked of TestJobs: expect(app.get(TestJobs)).toHaveEnqueued(…)');
    const { equals, utils } = this;
    const testers = [utils.iterableEquality, utils.subsetEquality] as never[];
    const fits = ({ params, options }: EnqueuedTask) =>
      stated.every((part, at) => part === undefined || equals([params, options][at], part, testers));
    const tasks = received.enqueued(job);
    const pass = tasks.some(fits);
    const asked = [job.name, ...stated.map((part) => oneLine(part, utils))].join(', ');
    const head = (not: string) => `expect(jobs)${not}.toHaveEnqueued(${asked})\n\n`;
    return {
      pass,
      message: () =>
        pass
          ? `${head('.not')}But it was:\n${listed(tasks.filter(fits), utils)}`
          : `${head('')}${missing(job, tasks, received, stated, utils)}`,
    };
  },
};

// Not by its class: the two builds of this package have one each.
function isTestJobs(value: unknown): value is TestJobs {
  return typeof (value as TestJobs | undefined)?.enqueued === 'function';
}

function missing(
  job: JobClass,
  tasks: readonly EnqueuedTask[],
  jobs: TestJobs,
  stated: readonly unknown[],
  utils: MatcherTools['utils'],
): string {
  if (tasks.length === 0) {
    const all = jobs.enqueued();
    return all.length === 0
      ? 'Nothing was enqueued.'
      : `Of ${job.name} nothing was enqueued, but:\n${listed(all, utils)}`;
  }
  const [only] = tasks;
  const diff =
    tasks.length === 1
      ? utils.diff(stated, [only!.params, only!.options].slice(0, stated.length))
      : undefined;
  return `Of ${job.name} there was:\n${listed(tasks, utils)}${diff ? `\n\n${diff}` : ''}`;
}

function listed(tasks: readonly EnqueuedTask[], utils: MatcherTools['utils']): string {
  return tasks
    .map(({ job, params, options, slot }) => {
      const said = Object.keys(options).length > 0 ? [params, options] : params === undefined ? [] : [params];
      return `  ${[job, ...said.map((part) => oneLine(part, utils))].join(', ')}${slot ? `, of the slot ${slot.toISOString()}` : ''}`;
    })
    .join('\n');
}

/** vitest takes a line for each property, where jest takes one for all. */
function oneLine(value: unknown, { stringify }: MatcherTools['utils']): string {
  return stringify(value)
    .replace(/\s*\n\s*/g, ' ')
    .replace(/\b(Object|Array) (?=[{[])/g, '')
    .replace(/, (?=[}\]])/g, ' ');
}

declare global {
  // The types of jest's globals, which those of vitest take up, too.
  namespace jest {
    interface Matchers<R, T> extends JobMatchers<R> {}
  }
}

// Those of `@jest/globals`. Of a project that has vitest, it is no fault that there is no such module.
// oxlint-disable-next-line typescript/ban-ts-comment -- in a project that has it there is no error to expect
/** @ts-ignore */
declare module 'expect' {
  interface Matchers<R extends void | Promise<void>, T> extends JobMatchers<R> {}
}
