import { expect as jestExpect, it } from '@jest/globals';
import { Job, type JobHandler, type Task } from 'nestjs-jobs';
import { jobMatchers, type EnqueuedTask, type RunOutcome, type TestJobs } from 'nestjs-jobs/testing';
import type { ExpectStatic } from 'vitest';

class Params {
  to!: string;
  copies?: number = 1;
}

@Job({ params: Params })
class Send implements JobHandler<Params, number> {
  run(_params: Params, _task: Task<Params>): number {
    return 1;
  }
}

@Job()
class Plain {
  run(): void {}
}

// `tsc -p .` is what checks this file: each `@ts-expect-error` fails it where the line below compiles.
function types(jobs: TestJobs, vitestExpect: ExpectStatic) {
  jestExpect.extend(jobMatchers);
  vitestExpect.extend(jobMatchers);
  jestExpect(jobs).toHaveEnqueued(Send, { to: 'ada' });
  jestExpect(jobs).not.toHaveEnqueued(Send, { to: jestExpect.any(String) }, { in: '5m' });
  vitestExpect(jobs).toHaveEnqueued(Send, { to: 'ada' });
  vitestExpect(jobs).not.toHaveEnqueued(Send, { to: vitestExpect.any(String) }, { in: '5m' });
  ({}) as jest.Matchers<void, TestJobs> satisfies { toHaveEnqueued(job: typeof Plain): void };
  // @ts-expect-error there is no such param
  jestExpect(jobs).toHaveEnqueued(Send, { too: 'ada' });
  // @ts-expect-error there is no such param
  vitestExpect(jobs).toHaveEnqueued(Send, { too: 'ada' });
  // @ts-expect-error there is no such option
  jestExpect(jobs).toHaveEnqueued(Plain, undefined, { inn: '5m' });
  // @ts-expect-error no job at all
  jestExpect(jobs).toHaveEnqueued(Params);

  const list: EnqueuedTask<Params>[] = jobs.enqueued(Send);
  const outcome: Promise<RunOutcome<number>> = jobs.runJob(Send, { to: 'ada' }, { attempt: 3 });
  void jobs.runJob(Plain);
  // @ts-expect-error a number is no text
  void jobs.runJob(Send, { to: 1 });
  // @ts-expect-error params are missing
  void jobs.runJob(Send);
  return { list, outcome };
}

it('have nothing to do at run time but to be there', () => {
  jestExpect(types).toHaveLength(2);
});
