import { expect, it } from '@jest/globals';
import { Job, type JobQueue, type ResultOf } from 'nestjs-jobs';

// `tsc -p .` is what checks this file: each `@ts-expect-error` fails it where the line below compiles.

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const isTrue = <T extends true>(): T | undefined => undefined;

@Job()
class Sum {
  run(numbers: number[]): number {
    return numbers.length;
  }
}

@Job()
class Report {
  async run(): Promise<{ on: Date; pages: { title?: string; at: Date }[]; print(): void } | undefined> {
    return undefined;
  }
}

@Job()
class Nothing {
  run(): void {}
}

@Job()
class Anything {
  run(): unknown {
    return 1;
  }
}

/** Never called: what counts is whether it compiles. */
export async function compiles(jobs: JobQueue): Promise<void> {
  const sum = await jobs.enqueue(Sum, [1, 2]);
  const total: number = await jobs.result(sum);
  // @ts-expect-error a number is no text
  const text: string = await jobs.result(sum);
  const named: string = await jobs.result<string>('an id', { timeout: '1s' });
  const byRef: number = await jobs.result<number>({ queue: 'q', id: 'an id' });
  // @ts-expect-error an id alone would be a text
  await jobs.result({ id: 'an id' });
  // @ts-expect-error there is no such option
  await jobs.result('an id', { wait: 1 });
  void [total, text, named, byRef];
}

it('the result of a job is typed as JSON leaves it', () => {
  isTrue<Same<ResultOf<typeof Sum>, number>>();
  isTrue<
    Same<ResultOf<typeof Report>, { on: string; pages: { title?: string; at: string }[] } | undefined>
  >();
  isTrue<Same<ResultOf<typeof Nothing>, undefined>>();
  isTrue<Same<ResultOf<typeof Anything>, unknown>>();
  expect(compiles).toBeInstanceOf(Function);
});
