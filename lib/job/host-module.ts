import { ModuleRef, type ModulesContainer } from '@nestjs/core';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
import type { HostClass } from './declaration.js';

/** The reference of the module that provides a class: another that provides it, too, would give it other dependencies. */
export function hostRefOf(wrapper: InstanceWrapper): ModuleRef | undefined {
  return wrapper.host?.providers.get(ModuleRef)?.instance as ModuleRef | undefined;
}

/** Whether one instance serves all. A transient provider's own instance is an empty shell: each consumer gets another. */
export function isShared(wrapper: InstanceWrapper): boolean {
  return wrapper.isDependencyTreeStatic() && !wrapper.isTransient;
}

/** The providers and controllers of all modules. */
export function* wrappersIn(modules: ModulesContainer): Iterable<InstanceWrapper> {
  for (const { providers, controllers } of modules.values())
    for (const wrapper of [...providers.values(), ...controllers.values()])
      if (!wrapper.isAlias) yield wrapper;
}

/** A provider is of a class or, where a test has put another value in its place, stands for one by its token. */
export function classesOf({ metatype, token }: InstanceWrapper): HostClass[] {
  return [metatype, token] as HostClass[];
}

/** The class of a provider if it is such a one, also where a factory made the instance. */
export function classIn(
  wrapper: InstanceWrapper,
  isSuch: (target: unknown) => boolean,
): HostClass | undefined {
  return classesOf(wrapper).find(isSuch) ?? classOfInstance(wrapper, isSuch);
}

function classOfInstance(
  { instance }: InstanceWrapper,
  isSuch: (target: unknown) => boolean,
): HostClass | undefined {
  if (typeof instance !== 'object' || instance === null) return undefined;
  const { constructor } = (Object.getPrototypeOf(instance) ?? {}) as { constructor?: HostClass };
  return isSuch(constructor) ? constructor : undefined;
}
