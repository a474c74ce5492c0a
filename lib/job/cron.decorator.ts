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
 * Runs a class or a method whenever the wall clock of its `timeZone` matches, once for all processes: five fields, six with
 * seconds in front, or a name such as `@daily`. On a class it makes the class a job and a provider, as `@Job` does; on a
 * method of any provider or controller the method is the job, named `Class.method`.
 */
export function Cron<T extends ParamsType, Tokens extends readonly RuleDependency[] = []>(
  expression: string | RuleFactory<string, Tokens>,
  options: RecurringOptions & { params: T } & WithFor<T>,
): RecurringDecorator<ParamsBy<T>>;
export function Cron<W = undefined, Tokens extends readonly RuleDependency[] = []>(
  expression: string | RuleFactory<string, Tokens>,
  options?: RecurringOptions & { params?: undefined; with?: W },
): RecurringDecorator<NoInfer<W>>;
export function Cron(expression: unknown, options: RecurringOptions = {}): RecurringDecorator<never> {
  return recurringDecorator({ by: '@Cron', rule: expression, options: Object.freeze({ ...options }) });
}
