import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { ParamsType } from '../task/params.js';
import { declareClass, declareMethod, type HostClass, type RecurringDeclaration } from './declaration.js';
import { InvalidJobError } from './errors.js';

/** Makes a job with a schedule of a class with `run`, or of a method of any provider; both take params of type `P`. */
export interface RecurringDecorator<P> {
  (target: abstract new (...args: never[]) => { run: (params: P, task: never) => unknown }): void;
  <M extends (params: P, task: never) => unknown>(
    target: object,
    method: string | symbol,
    descriptor: TypedPropertyDescriptor<M>,
  ): void;
}

/** What `run` gets where params are declared by `T`. */
export type ParamsBy<T extends ParamsType> = T extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<T>
  : T extends new () => infer P
    ? P
    : never;

/** The option `with` where params are declared by `T`: it may be left out only where `enqueue` can do without params. */
export type WithFor<T extends ParamsType> =
  undefined extends InputBy<T> ? { with?: InputBy<T> } : { with: InputBy<T> };

type InputBy<T extends ParamsType> = T extends StandardSchemaV1
  ? StandardSchemaV1.InferInput<T>
  : ParamsBy<T>;

export function recurringDecorator(declaration: RecurringDeclaration): RecurringDecorator<never> {
  return (target: object, method?: string | symbol, descriptor?: PropertyDescriptor) => {
    if (method === undefined) declareClass(target as HostClass, declaration);
    else declareMethod(...methodIn(target, method, descriptor, declaration.by), declaration);
  };
}

function methodIn(
  target: object,
  method: string | symbol,
  descriptor: PropertyDescriptor | undefined,
  by: string,
): [host: HostClass, method: string] {
  const isStatic = typeof target === 'function';
  const host = (isStatic ? target : target.constructor) as HostClass;
  const refuse = (what: string): never => {
    throw new InvalidJobError(
      `${host.name}.${String(method)}`,
      `${by} is for methods of an instance, but this is ${what}`,
    );
  };
  if (isStatic) refuse('static');
  if (typeof method === 'symbol') return refuse('named by a symbol, which no stored task could name');
  if (typeof descriptor?.value !== 'function') refuse('a property: write it as a method');
  return [host, method];
}
