import type { ModuleRef, ModulesContainer } from '@nestjs/core';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
import { classSourceOf, hasMethodSources, methodSourcesOf, type JobSource } from './declaration.js';
import { declaredSchedule } from './declared-schedule.js';
import { InvalidJobError } from './errors.js';
import { Handler } from './handler.js';
import { classesOf, classIn, hostRefOf, isShared, wrappersIn } from './host-module.js';
import type { JobContextCreator } from './job-context.js';
import type { TaskHooks } from './job-handler.js';
import { isHooksClass } from './job-hooks.decorator.js';
import type { JobRegistry } from './job-registry.js';

/**
 * Finds the decorated classes and methods among the providers and controllers of all modules. Lazily loaded modules come
 * too late for it.
 */
export class JobExplorer {
  private exploring: Promise<void> | undefined;

  constructor(
    private readonly modules: ModulesContainer,
    private readonly moduleRef: ModuleRef,
    private readonly contexts: JobContextCreator,
  ) {}

  /** Fills the registry, once however often it is asked. */
  explore(registry: JobRegistry): Promise<void> {
    return (this.exploring ??= this.exploreAll(registry));
  }

  /** Hooks first: whether a job has any is settled when it is taken in. */
  private async exploreAll(registry: JobRegistry): Promise<void> {
    this.exploreHooks(registry);
    for (const wrapper of wrappersIn(this.modules))
      for (const source of sourcesOf(wrapper)) await this.take(source, wrapper, registry);
  }

  private async take(source: JobSource, wrapper: InstanceWrapper, registry: JobRegistry): Promise<void> {
    const job = registry.provide(
      source,
      (definition) => new Handler(definition, wrapper, this.moduleRef, this.contexts),
    );
    const schedule = job && (await declaredSchedule(job.definition, hostRefOf(wrapper) ?? this.moduleRef));
    if (schedule) registry.declare(schedule);
  }

  private exploreHooks(registry: JobRegistry): void {
    const found = new Set<unknown>();
    for (const wrapper of wrappersIn(this.modules)) {
      const target = classesOf(wrapper).find(isHooksClass);
      if (!target || found.has(target)) continue;
      if (!isShared(wrapper))
        throw new InvalidJobError(
          target.name,
          '@JobHooks() serves all tasks: it cannot be request-scoped or transient',
        );
      found.add(target);
      registry.hooks.add(wrapper.instance as TaskHooks<never>);
    }
  }
}

function sourcesOf(wrapper: InstanceWrapper): JobSource[] {
  const ofClass = classesOf(wrapper).map(classSourceOf).find(Boolean);
  const ofMethods = methodSourcesIn(wrapper);
  return ofClass ? [ofClass, ...ofMethods] : ofMethods;
}

/** Any provider may have methods that are jobs, also one that a factory made. */
function methodSourcesIn(wrapper: InstanceWrapper): JobSource[] {
  const target = classIn(wrapper, hasMethodSources);
  if (!target) return [];
  const sources = methodSourcesOf(target);
  if (!isShared(wrapper)) return sources;
  // What a test has put in its place need not have the method: then there is nothing to run.
  const instance = wrapper.instance as Record<string, unknown> | null | undefined;
  return sources.filter(({ method }) => typeof instance?.[method] === 'function');
}
