import { Scope } from '@nestjs/common';
import { checkEnqueueDefaults, enqueueDefaultKeys, type EnqueueDefaults } from '../task/enqueue-options.js';
import { checkKeys } from '../task/check-keys.js';
import { InvalidOptionError } from '../task/errors.js';
import type { ParamsType } from '../task/params.js';

/** What `@Job` takes: the defaults for this job's tasks, and what belongs to the job itself. */
export interface JobOptions<P = unknown> extends EnqueueDefaults {
  /**
   * The name under which tasks are stored: keep it when you rename the class.
   * @default the class name
   */
  name?: string;
  /**
   * A class with class-validator decorators or a Standard Schema (zod, valibot, arktype), by which params are checked and
   * given defaults, at enqueue and again before the run.
   * @default params are any JSON value and are not checked
   */
  params?: ParamsType<P>;
  /**
   * Params that are masked in logs, errors, catalog and events, by their paths: `'password'`, `'card.number'`,
   * `'items.*.secret'`. What is stored and what the handler gets stays whole.
   * @default none
   */
  redact?: string[];
  /**
   * The scope in which Nest makes the class; with `Scope.REQUEST` it is made for each task, which is then its `REQUEST`.
   * @default Scope.DEFAULT
   */
  scope?: Scope;
}

const scopes: readonly unknown[] = [Scope.DEFAULT, Scope.REQUEST, Scope.TRANSIENT];
const jobKeys: readonly string[] = [...enqueueDefaultKeys, 'name', 'params', 'redact', 'scope'];

export function checkJobOptions(options: JobOptions, where: string): void {
  checkKeys(options, jobKeys, where);
  checkEnqueueDefaults(options, where);
  const { name, params, redact, scope } = options;
  if (scope !== undefined && !scopes.includes(scope))
    throw new InvalidOptionError(where, 'scope', scope, "one of Nest's Scope");
  if (redact !== undefined && (!Array.isArray(redact) || redact.some((path) => typeof path !== 'string')))
    throw new InvalidOptionError(where, 'redact', redact, "a list of paths, such as ['card.number']");
  if (name !== undefined && (typeof name !== 'string' || name.length === 0 || name.length > 255))
    throw new InvalidOptionError(where, 'name', name, 'text of 1 to 255 characters');
  if (
    params !== undefined &&
    typeof params !== 'function' &&
    !(typeof params === 'object' && '~standard' in params)
  )
    throw new InvalidOptionError(where, 'params', params, 'a class or a Standard Schema');
}
