import type { JobClass } from '../job/job-handler.js';

/** What `run` of a job resolves to, as it comes back from the store. */
export type ResultOf<J extends JobClass> = AsJson<Awaited<ReturnType<InstanceType<J>['run']>>>;

type Method = (...args: never[]) => unknown;

/** A value after its way through JSON: dates are texts, methods are gone. */
type AsJson<T> = unknown extends T
  ? T
  : T extends { toJSON(...args: never[]): infer Text }
    ? AsJson<Text>
    : T extends string | number | boolean | null | undefined
      ? T
      : T extends bigint | symbol | Method
        ? never
        : T extends readonly unknown[]
          ? { [K in keyof T]: AsJson<T[K]> }
          : T extends object
            ? { [K in keyof T as T[K] extends Method ? never : K]: AsJson<T[K]> }
            : undefined;
