import type { Duration } from '../task/duration.js';
import type { ParamsType } from '../task/params.js';
import {
  recurringDecorator,
  type ParamsBy,
  type RecurringDecorator,
  type WithFor,
} from './recurring-decorator.js';
import type { RecurringOptions } from './recurring-options.js';
import type { RuleDependency, RuleFactory } from './rule.js';

/**
 * Runs a class or a method again after each such span, on a fixed grid, once for all processes. On a class it makes the
 * class a job and a provider, as `@Job` does; on a method of any provider or controller the method is the job, named
 * `Class.method`.
 */
export function Periodic<T extends ParamsType, Tokens extends readonly RuleDependency[] = []>(
  every: Duration | RuleFactory<Duration, Tokens>,
  options: RecurringOptions & { params: T } & WithFor<T>,
): RecurringDecorator<ParamsBy<T>>;
export function Periodic<W = undefined, Tokens extends readonly RuleDependency[] = []>(
  every: Duration | RuleFactory<Duration, Tokens>,
  options?: RecurringOptions & { params?: undefined; with?: W },
): RecurringDecorator<NoInfer<W>>;
export function Periodic(every: unknown, options: RecurringOptions = {}): RecurringDecorator<never> {
  return recurringDecorator({ by: '@Periodic', rule: every, options: Object.freeze({ ...options }) });
}
