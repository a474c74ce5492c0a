import 'reflect-metadata';
import { InvalidJobError } from '../job/errors.js';
import type { JobClass } from '../job/job-handler.js';
import { checkKeys } from '../task/check-keys.js';
import type { TaskEventType } from '../task/task-event.js';
import { checkEventTypes, type JobEventOf } from './job-event.js';

/** Which tasks a listener wants to hear of; without it, of all. */
export interface OnTaskFilter {
  /** The job by its class or its stored name, or several. */
  job?: JobClass | string | readonly (JobClass | string)[];
  /** The queue, or several. */
  queue?: string | readonly string[];
}

/** What one `@OnTask` says. */
export interface Listening {
  readonly types: readonly TaskEventType[];
  readonly filter: OnTaskFilter;
}

/** Makes a listener of a method that takes events of type `T`. */
export type OnTaskDecorator<T extends TaskEventType> = <M extends (event: JobEventOf<T>) => unknown>(
  target: object,
  method: string | symbol,
  descriptor: TypedPropertyDescriptor<M>,
) => void;

type AnyClass = abstract new (...args: never[]) => object;

// A registered symbol: the two builds of this package must know each other's listeners.
const listenerMetadata = Symbol.for('nestjs-jobs:on-task');

/**
 * Calls a method of any provider or controller when something of these types happens to a task: `@OnTask('dead')`,
 * `@OnTask('failed', 'dead', { queue: 'mail' })`. What it throws, or rejects with, is logged and changes nothing.
 */
export function OnTask<T extends TaskEventType>(...types: [T, ...T[]]): OnTaskDecorator<T>;
export function OnTask<T extends TaskEventType>(...args: [T, ...T[], OnTaskFilter]): OnTaskDecorator<T>;
export function OnTask(...args: unknown[]): OnTaskDecorator<never> {
  return (target: object, method: string | symbol, descriptor?: PropertyDescriptor) => {
    const isStatic = typeof target === 'function';
    const host = (isStatic ? target : target.constructor) as AnyClass;
    const where = `${host.name}.${String(method)}`;
    if (isStatic || typeof descriptor?.value !== 'function')
      throw new InvalidJobError(where, '@OnTask is for methods of an instance');
    const listeners = ownListenersOf(host) ?? new Map<string | symbol, Listening[]>();
    // Decorators are called from the last to the first.
    listeners.set(method, [listeningOf(args, where), ...(listeners.get(method) ?? [])]);
    Reflect.defineMetadata(listenerMetadata, listeners, host);
  };
}

export function hasListeners(target: unknown): boolean {
  return typeof target === 'function' && Reflect.hasMetadata(listenerMetadata, target);
}

/** The listeners among the methods of a class. Inherited ones are its own; one that it overrides is what the override says. */
export function listenersOf(target: AnyClass): Map<string | symbol, readonly Listening[]> {
  const found = new Map<string | symbol, readonly Listening[]>();
  const methods = target.prototype as Record<string | symbol, unknown>;
  for (let owner: unknown = target; hasListeners(owner); owner = Object.getPrototypeOf(owner)) {
    const ofOwner = (owner as AnyClass).prototype as Record<string | symbol, unknown>;
    for (const [method, listening] of ownListenersOf(owner as AnyClass) ?? [])
      if (!found.has(method) && methods[method] === ofOwner[method]) found.set(method, listening);
  }
  return found;
}

function ownListenersOf(host: AnyClass): Map<string | symbol, Listening[]> | undefined {
  return Reflect.getOwnMetadata(listenerMetadata, host) as Map<string | symbol, Listening[]> | undefined;
}

function listeningOf(args: readonly unknown[], where: string): Listening {
  const last = args.at(-1);
  const hasFilter = typeof last === 'object' && last !== null;
  const types = hasFilter ? args.slice(0, -1) : args;
  checkEventTypes(types, `${where}: @OnTask`);
  if (hasFilter) checkKeys(last, ['job', 'queue'], `${where}: @OnTask`, 'filter');
  return { types: types as TaskEventType[], filter: hasFilter ? { ...last } : {} };
}
