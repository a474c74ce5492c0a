import 'reflect-metadata';
import { Injectable } from '@nestjs/common';
import type { ParamsType } from '../task/params.js';
import type { JobOptions } from './job-options.js';

// A registered symbol: the two builds of this package must know each other's jobs.
const jobMetadata = Symbol.for('nestjs-jobs:job');

type Runs<Run> = abstract new (...args: never[]) => { run: Run };

/** Makes a class a job and a provider: list it in a module's `providers`, enqueue it by its class. */
export function Job<P>(
  options: JobOptions<P> & { params: ParamsType<P> },
): (target: Runs<(params: P, task: never) => unknown>) => void;
export function Job(
  options?: JobOptions & { params?: undefined },
): (target: Runs<(...args: never[]) => unknown>) => void;
export function Job(options: JobOptions = {}): (target: Runs<never>) => void {
  return (target) => {
    Injectable({ scope: options.scope })(target);
    // Nest then counts global enhancers of request scope among the job's dependencies.
    Reflect.defineMetadata('__entryProvider__', true, target);
    Reflect.defineMetadata(jobMetadata, Object.freeze({ ...options }), target);
  };
}

/** The options a class was declared with; a subclass of a job is no job by itself. */
export function jobOptionsOf(target: unknown): JobOptions | undefined {
  if (typeof target !== 'function') return undefined;
  return Reflect.getOwnMetadata(jobMetadata, target) as JobOptions | undefined;
}
