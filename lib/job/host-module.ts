import { ModuleRef } from '@nestjs/core';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';

/** The reference of the module that provides a class: another that provides it, too, would give it other dependencies. */
export function hostRefOf(wrapper: InstanceWrapper): ModuleRef | undefined {
  return wrapper.host?.providers.get(ModuleRef)?.instance as ModuleRef | undefined;
}

/** Whether one instance serves all. A transient provider's own instance is an empty shell: each consumer gets another. */
export function isShared(wrapper: InstanceWrapper): boolean {
  return wrapper.isDependencyTreeStatic() && !wrapper.isTransient;
}
