import { Inject, Optional, type InjectionToken, type OptionalFactoryDependency } from '@nestjs/common';
import { ContextIdFactory, type ModuleRef } from '@nestjs/core';
import { checkKeys } from '../task/check-keys.js';
import type { Duration } from '../task/duration.js';
import { InvalidOptionError } from '../task/errors.js';
import { lineOf } from '../task/stored-error.js';
import type { RecurringDeclaration } from './declaration.js';
import { InvalidJobError } from './errors.js';

/** What a `RuleFactory` may ask for: anything that the class could have injected. */
export type RuleDependency = InjectionToken | OptionalFactoryDependency;

/**
 * Makes a cron text or a span when the application starts, from what the module of the class can inject. It is called
 * before anybody's `onModuleInit`.
 */
export interface RuleFactory<R, Tokens extends readonly RuleDependency[] = readonly RuleDependency[]> {
  inject?: readonly [...Tokens];
  useFactory(...args: { [I in keyof Tokens]: Injected<Tokens[I]> }): R | Promise<R>;
}

type Injected<Token> = Token extends abstract new (...args: never[]) => infer Instance
  ? Instance
  : Token extends { token: infer Wrapped; optional: infer IsOptional }
    ? Injected<Wrapped> | (IsOptional extends false ? never : undefined)
    : unknown;

const kinds = {
  '@Periodic': { option: 'every', expected: "a duration such as '10m'" },
  '@Cron': { option: 'cron', expected: "cron text such as '0 8 * * *'" },
} as const;

/** The rule as `enqueue` takes it; only its kind is checked here. */
export async function ruleOf(
  { by, rule }: RecurringDeclaration,
  where: string,
  moduleRef: ModuleRef,
): Promise<{ every: Duration } | { cron: string }> {
  const { option, expected } = kinds[by];
  const value = isFactory(rule) ? await made(rule, where, option, moduleRef) : rule;
  if (typeof value === 'string' || (option === 'every' && typeof value === 'number'))
    return { [option]: value } as { every: Duration } | { cron: string };
  throw new InvalidOptionError(where, option, value, `${expected}${hintFor(value, rule)}`);
}

function hintFor(value: unknown, rule: unknown): string {
  if (value instanceof Date) return '; to run once at a moment, enqueue it with { at }';
  return isFactory(rule) ? '; it is what its useFactory answered' : ', or { inject, useFactory }';
}

function isFactory(rule: unknown): rule is RuleFactory<unknown> {
  return typeof rule === 'object' && rule !== null && ('useFactory' in rule || 'inject' in rule);
}

async function made(
  factory: RuleFactory<unknown>,
  where: string,
  option: string,
  moduleRef: ModuleRef,
): Promise<unknown> {
  checkKeys(factory, ['inject', 'useFactory'], where, option);
  const { inject = [], useFactory } = factory as { inject?: unknown; useFactory: unknown };
  if (typeof useFactory !== 'function')
    throw new InvalidOptionError(where, `${option}.useFactory`, useFactory, 'a function');
  if (!Array.isArray(inject))
    throw new InvalidOptionError(where, `${option}.inject`, inject, 'a list of tokens');
  const needed = await dependencies(inject as readonly RuleDependency[], where, moduleRef);
  try {
    return await factory.useFactory(...needed);
  } catch (cause) {
    throw new InvalidJobError(where, `the useFactory of its ${option} threw: ${lineOf(cause)}`, { cause });
  }
}

/** Has Nest make a class that takes them, so that what it can see is what its module can, imports included. */
async function dependencies(
  tokens: readonly RuleDependency[],
  where: string,
  moduleRef: ModuleRef,
): Promise<unknown[]> {
  class Dependencies {
    readonly all: unknown[];
    constructor(...all: unknown[]) {
      this.all = all;
    }
  }
  Object.defineProperty(Dependencies, 'name', { value: `useFactory of ${where}` });
  tokens.forEach((dependency, index) => {
    const { token, optional } = isWrapped(dependency) ? dependency : { token: dependency, optional: false };
    Inject(token)(Dependencies, undefined, index);
    if (optional) Optional()(Dependencies, undefined, index);
  });
  try {
    // In a context of its own, dependencies of request scope are made for it.
    return (await moduleRef.create(Dependencies, ContextIdFactory.create())).all;
  } catch (cause) {
    throw new InvalidJobError(where, lineOf(cause).split('\n')[0]!, { cause });
  }
}

function isWrapped(dependency: RuleDependency): dependency is OptionalFactoryDependency {
  return typeof dependency === 'object' && dependency !== null && 'token' in dependency;
}
