import 'reflect-metadata';
import { Injectable } from '@nestjs/common';
import { InvalidJobError } from './errors.js';
import type { JobOptions } from './job-options.js';
import type { RecurringOptions } from './recurring-options.js';

// Registered symbols: the two builds of this package must know each other's jobs.
const jobMetadata = Symbol.for('nestjs-jobs:job');
const methodsMetadata = Symbol.for('nestjs-jobs:methods');

/** A class that is a job, or that has methods which are. */
export type HostClass = abstract new (...args: never[]) => object;

/** What a decorator was given; checked when the application starts. */
export type Declaration = { readonly by: '@Job'; readonly options: JobOptions } | RecurringDeclaration;

export interface RecurringDeclaration {
  readonly by: '@Periodic' | '@Cron';
  readonly options: RecurringOptions;
  /** The span or the cron text, or what makes it. */
  readonly rule: unknown;
}

/** A job as it stands in code. */
export interface JobSource {
  readonly target: HostClass;
  /** `run` where the class is the job. */
  readonly method: string;
  /** Whether the method alone is the job; its class is then any provider. */
  readonly isMethod: boolean;
  readonly declaration: Declaration;
}

export function declareClass(target: HostClass, declaration: Declaration): void {
  const first = classDeclarationOf(target);
  if (first) throw new InvalidJobError(target.name, twice(first.by, declaration.by, 'class'));
  Injectable({ scope: declaration.options.scope })(target);
  // Nest then counts global enhancers of request scope among the job's dependencies.
  Reflect.defineMetadata('__entryProvider__', true, target);
  Reflect.defineMetadata(jobMetadata, declaration, target);
}

export function declareMethod(host: HostClass, method: string, declaration: RecurringDeclaration): void {
  const methods = methodDeclarationsOf(host) ?? new Map<string, RecurringDeclaration>();
  const first = methods.get(method);
  if (first) throw new InvalidJobError(`${host.name}.${method}`, twice(first.by, declaration.by, 'method'));
  Reflect.defineMetadata(methodsMetadata, methods.set(method, declaration), host);
}

/** The job that a class is; a subclass of a job is no job by itself. */
export function classSourceOf(target: unknown): JobSource | undefined {
  const declaration = classDeclarationOf(target);
  return declaration && { target: target as HostClass, method: 'run', isMethod: false, declaration };
}

export function hasMethodSources(target: unknown): boolean {
  return typeof target === 'function' && Reflect.hasMetadata(methodsMetadata, target);
}

/** The jobs among the methods of a class. Inherited ones are its own; one that it overrides is what the override says. */
export function methodSourcesOf(target: HostClass): JobSource[] {
  const found = new Map<string, JobSource>();
  for (let owner: unknown = target; hasMethodSources(owner); owner = Object.getPrototypeOf(owner)) {
    for (const [method, declaration] of methodDeclarationsOf(owner as HostClass) ?? []) {
      if (methodOf(target, method) === methodOf(owner as HostClass, method))
        found.set(method, { target, method, isMethod: true, declaration });
    }
  }
  return [...found.values()];
}

export function methodOf(target: HostClass, method: string): unknown {
  return (target.prototype as Record<string, unknown>)[method];
}

function classDeclarationOf(target: unknown): Declaration | undefined {
  if (typeof target !== 'function') return undefined;
  return Reflect.getOwnMetadata(jobMetadata, target) as Declaration | undefined;
}

function methodDeclarationsOf(host: HostClass): Map<string, RecurringDeclaration> | undefined {
  return Reflect.getOwnMetadata(methodsMetadata, host) as Map<string, RecurringDeclaration> | undefined;
}

function twice(one: Declaration['by'], other: Declaration['by'], kind: 'class' | 'method'): string {
  const recurring = [one, other].filter((by) => by !== '@Job');
  if (recurring.length === 2)
    return `carries ${one} and ${other}, but a job has one schedule: give the other to a second ${kind}`;
  if (recurring.length === 1)
    return `carries @Job and ${recurring[0]}: leave out @Job, whose options ${recurring[0]} takes as well`;
  return 'carries @Job twice: leave one out';
}
