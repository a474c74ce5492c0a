import type { ModuleRef } from '@nestjs/core';
import type { EnqueueOptions } from '../task/enqueue-options.js';
import type { JobDefinition } from './job-definition.js';
import { schedulePartOf } from './recurring-options.js';
import { ruleOf } from './rule.js';

/** A schedule that stands in code. */
export interface DeclaredSchedule {
  readonly definition: JobDefinition;
  /** As a call would say it; `id` is the name of the job. */
  readonly options: EnqueueOptions;
  /** The params of its tasks, as a call would give them. */
  readonly with: unknown;
}

/** The schedule of a job, where its decorator makes one. */
export async function declaredSchedule(
  definition: JobDefinition,
  moduleRef: ModuleRef,
): Promise<DeclaredSchedule | undefined> {
  const { declaration } = definition.source;
  if (declaration.by === '@Job' || declaration.options.disabled) return undefined;
  const rule = await ruleOf(declaration, definition.where, moduleRef);
  return {
    definition,
    options: { id: definition.name, ...rule, ...schedulePartOf(declaration.options) },
    with: declaration.options.with,
  };
}
