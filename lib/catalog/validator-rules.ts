import type { ClassMetadata } from '../task/class-metadata.js';
import type { ParamsConstraints, ParamsValue } from './params-fields.js';

type Validator = ClassMetadata['validators'][number];

/** What one decorator of class-validator says of a property. */
export interface Rule {
  readonly type?: ParamsValue['type'];
  readonly values?: readonly unknown[];
  readonly constraints?: ParamsConstraints;
  /** Of the items of the property, not of itself. */
  readonly each: boolean;
  /** The property may be left out. */
  readonly isOptional: boolean;
  /** A property that is left out does not pass it. */
  readonly isChecked: boolean;
}

type Said = Pick<Rule, 'type' | 'values' | 'constraints'>;

const text = (constraints?: ParamsConstraints): Said => ({ type: 'string', constraints });
const format = (name: string) => (): Said => text({ format: name });
const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

const known: Record<string, (...constraints: unknown[]) => Said> = {
  isString: () => text(),
  isInt: () => ({ type: 'integer' }),
  isNumber: () => ({ type: 'number' }),
  isBoolean: () => ({ type: 'boolean' }),
  isDate: () => ({ type: 'date' }),
  isArray: () => ({ type: 'array' }),
  isObject: () => ({ type: 'object' }),
  isEnum: (_, values) => ({ values: values as readonly unknown[] }),
  isIn: (values) => ({ values: Array.isArray(values) ? (values as unknown[]) : undefined }),
  equals: (value) => ({ values: [value] }),
  min: (least) => ({ constraints: { minimum: number(least) } }),
  max: (most) => ({ constraints: { maximum: number(most) } }),
  isPositive: () => ({ constraints: { exclusiveMinimum: 0 } }),
  isNegative: () => ({ constraints: { exclusiveMaximum: 0 } }),
  isDivisibleBy: (by) => ({ constraints: { multipleOf: number(by) } }),
  minLength: (least) => text({ minLength: number(least) }),
  maxLength: (most) => text({ maxLength: number(most) }),
  isLength: (least, most) => text({ minLength: number(least), maxLength: number(most) }),
  matches: (pattern) => text({ pattern: pattern instanceof RegExp ? pattern.source : undefined }),
  isNotEmpty: () => ({ constraints: {} }),
  arrayMinSize: (least) => ({ type: 'array', constraints: { minItems: number(least) } }),
  arrayMaxSize: (most) => ({ type: 'array', constraints: { maxItems: number(most) } }),
  arrayNotEmpty: () => ({ type: 'array', constraints: { minItems: 1 } }),
  arrayUnique: () => ({ type: 'array', constraints: { uniqueItems: true } }),
  isEmail: format('email'),
  isUrl: format('uri'),
  isUuid: format('uuid'),
  isDateString: () => ({ type: 'date', constraints: { format: 'date-time' } }),
  isIso8601: () => ({ type: 'date', constraints: { format: 'date-time' } }),
  isIp: format('ip'),
  isFqdn: format('hostname'),
  isTimeZone: format('time-zone'),
  isPhoneNumber: format('phone'),
  isJson: format('json'),
  isNumberString: format('number'),
  isBooleanString: format('boolean'),
};

/** Reads a decorator; one that is not known says that the property is checked, and no more. */
export function ruleOf({ type, name, constraints, each }: Validator): Rule {
  const args = (constraints ?? []) as unknown[];
  const said = name !== undefined && Object.hasOwn(known, name) ? known[name]!(...args) : {};
  return {
    ...said,
    each: each ?? false,
    isOptional: type === 'conditionalValidation',
    isChecked:
      type !== 'conditionalValidation' && type !== 'whitelistValidation' && type !== 'nestedValidation',
  };
}
