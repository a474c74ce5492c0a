import type { ModulesContainer } from '@nestjs/core';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
import { InvalidJobError } from '../job/errors.js';
import { classIn, isShared, wrappersIn } from '../job/host-module.js';
import type { JobRegistry } from '../job/job-registry.js';
import type { JobsLog } from '../job/jobs-log.js';
import { isPromise } from '../task/realm.js';
import { lineOf } from '../task/stored-error.js';
import type { EventHub } from './event-hub.js';
import type { JobEvent } from './job-event.js';
import { hasListeners, listenersOf, type Listening } from './on-task.decorator.js';

type Instance = Record<string | symbol, (event: JobEvent) => unknown>;
type Fits = (event: JobEvent) => boolean;

/** More that have not ended are not waited for at the end, and not kept in mind: one that never ends would fill the memory. */
const mostUnderWay = 1_000;

/** Finds the methods that carry `@OnTask`, and calls them. What they throw harms nobody. */
export class TaskListeners {
  private readonly underWay = new Set<Promise<unknown>>();
  private isFullSaid = false;

  constructor(
    private readonly modules: ModulesContainer,
    private readonly registry: JobRegistry,
    private readonly hub: EventHub,
    private readonly log: JobsLog,
  ) {}

  explore(): void {
    const tokens = new Set<unknown>();
    for (const wrapper of wrappersIn(this.modules)) {
      const target = classIn(wrapper, hasListeners);
      // The same class, from another module, is the same listener.
      if (!target || tokens.has(wrapper.token)) continue;
      tokens.add(wrapper.token);
      for (const [method, listening] of listenersOf(target))
        this.take(wrapper, target.name, method, listening);
    }
  }

  /** When those that are under way have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.underWay);
  }

  private take(
    wrapper: InstanceWrapper,
    host: string,
    method: string | symbol,
    listening: readonly Listening[],
  ): void {
    const where = `${host}.${String(method)}`;
    if (!isShared(wrapper))
      throw new InvalidJobError(
        where,
        '@OnTask serves all tasks: its provider cannot be request-scoped or transient',
      );
    // What a test has put in its place need not have the method.
    const instance = wrapper.instance as Instance | null | undefined;
    if (typeof instance?.[method] !== 'function') return;
    const fits = listening.map((one) => this.fitting(one));
    const types = [...new Set(listening.flatMap((one) => one.types))];
    this.hub.listen(types, (event) => {
      if (fits.some((fit) => fit(event))) this.call(where, () => instance[method]!(event));
    });
  }

  private fitting({ types, filter: { job, queue } }: Listening): Fits {
    const jobs = listOf(job)?.map((one) => (typeof one === 'string' ? one : this.registry.nameOf(one)));
    const queues = listOf(queue);
    return (event) =>
      types.includes(event.type) &&
      (jobs?.includes(event.job) ?? true) &&
      (queues?.includes(event.queue) ?? true);
  }

  private call(where: string, listener: () => unknown): void {
    try {
      const answer = listener();
      if (!isPromise(answer)) return;
      const ending = Promise.resolve(answer)
        .catch((error: unknown) => this.complain(where, error))
        .finally(() => this.underWay.delete(ending));
      if (this.underWay.size < mostUnderWay) this.underWay.add(ending);
      else this.sayFull(where);
    } catch (error) {
      this.complain(where, error);
    }
  }

  private sayFull(where: string): void {
    if (this.isFullSaid) return;
    this.isFullSaid = true;
    const many = `${mostUnderWay} calls of listeners have not ended`;
    this.log.write('warn', where, `${many}: the application does not wait for further ones when it closes`);
  }

  private complain(where: string, error: unknown): void {
    this.log.write('error', where, `a listener failed: ${lineOf(error)}`, error);
  }
}

function listOf<T>(value: T | readonly T[] | undefined): readonly T[] | undefined {
  return value === undefined || Array.isArray(value) ? (value as readonly T[] | undefined) : [value as T];
}
