import type { ModuleRef, ModulesContainer } from '@nestjs/core';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
import { InvalidJobError } from './errors.js';
import { Handler } from './handler.js';
import type { JobContextCreator } from './job-context.js';
import type { JobClass, TaskHooks } from './job-handler.js';
import { isHooksClass } from './job-hooks.decorator.js';
import type { JobRegistry } from './job-registry.js';
import { jobOptionsOf } from './job.decorator.js';

/** Finds the decorated classes among the providers of all modules. Lazily loaded modules come too late for it. */
export class JobExplorer {
  constructor(
    private readonly modules: ModulesContainer,
    private readonly moduleRef: ModuleRef,
    private readonly contexts: JobContextCreator,
  ) {}

  /** Fills the registry. Hooks first: whether a job has any is settled when it is taken in. */
  explore(registry: JobRegistry): void {
    this.exploreHooks(registry);
    for (const wrapper of this.providers()) {
      const target = classOf(wrapper, (candidate) => jobOptionsOf(candidate) !== undefined);
      if (target) registry.provide(target, () => new Handler(target, wrapper, this.moduleRef, this.contexts));
    }
  }

  private exploreHooks(registry: JobRegistry): void {
    const found = new Set<unknown>();
    for (const wrapper of this.providers()) {
      const target = classOf(wrapper, isHooksClass);
      if (!target || found.has(target)) continue;
      if (!wrapper.isDependencyTreeStatic() || wrapper.isTransient)
        throw new InvalidJobError(
          target.name,
          '@JobHooks() serves all tasks: it cannot be request-scoped or transient',
        );
      found.add(target);
      registry.hooks.add(wrapper.instance as TaskHooks<never>);
    }
  }

  private *providers(): Iterable<InstanceWrapper> {
    for (const module of this.modules.values())
      for (const wrapper of module.providers.values()) if (!wrapper.isAlias) yield wrapper;
  }
}

/** A provider is a job by its class or, where a test has put another value in its place, by its token. */
function classOf(wrapper: InstanceWrapper, is: (candidate: unknown) => boolean): JobClass | undefined {
  return [wrapper.metatype, wrapper.token].find(is) as JobClass | undefined;
}
