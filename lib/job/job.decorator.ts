import type { ParamsType } from '../task/params.js';
import { declareClass } from './declaration.js';
import type { JobOptions } from './job-options.js';

type Runs<Run> = abstract new (...args: never[]) => { run: Run };

/** Makes a class a job and a provider: list it in a module's `providers`, enqueue it by its class. */
export function Job<P>(
  options: JobOptions<P> & { params: ParamsType<P> },
): (target: Runs<(params: P, task: never) => unknown>) => void;
export function Job(
  options?: JobOptions & { params?: undefined },
): (target: Runs<(...args: never[]) => unknown>) => void;
export function Job(options: JobOptions = {}): (target: Runs<never>) => void {
  return (target) => declareClass(target, { by: '@Job', options: Object.freeze({ ...options }) });
}
