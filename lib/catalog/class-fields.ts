import 'reflect-metadata';
import { classMetadata, decoratedProperties } from '../task/class-metadata.js';
import { readJson } from './json-text.js';
import { compact, deepestFields, type ParamsField, type ParamsValue } from './params-fields.js';
import { ruleOf, type Rule } from './validator-rules.js';

type ParamsClass = new () => unknown;

/** What decorators and initial values say of a class; undefined where no property has a decorator. */
export function classFields(type: ParamsClass, depth = 0): readonly ParamsField[] | undefined {
  const names = decoratedProperties(type);
  if (names.length === 0) return undefined;
  const defaults = defaultsOf(type);
  const all = new Set([...names, ...Object.keys(defaults)]);
  return [...all].map((name) => fieldOf(type, name, defaults[name], depth));
}

function fieldOf(type: ParamsClass, name: string, value: unknown, depth: number): ParamsField {
  const rules = rulesOf(type, name);
  const own = rules.filter(({ each }) => !each);
  const ofItems = rules.filter(({ each }) => each);
  const nested = nestedClass(type, name);
  const declared = Reflect.getMetadata('design:type', type.prototype as object, name) as unknown;
  const isArray = declared === Array || ofItems.length > 0 || own.some((rule) => rule.type === 'array');
  const item = valueOf(isArray ? ofItems : own, isArray ? undefined : declared, nested, value, depth);
  const array = isArray
    ? { ...valueOf(own, Array, undefined, undefined, depth), type: 'array' as const, items: item }
    : item;
  return compact<ParamsField>({
    name,
    ...array,
    required:
      value === undefined &&
      rules.some(({ isChecked }) => isChecked) &&
      !rules.some(({ isOptional }) => isOptional),
    default: readJson(jsonOf(value)),
  });
}

function valueOf(
  rules: readonly Rule[],
  declared: unknown,
  nested: ParamsClass | undefined,
  value: unknown,
  depth: number,
): ParamsValue {
  const fields = nested && depth < deepestFields ? classFields(nested, depth + 1) : undefined;
  const said = rules.findLast(({ type }) => type !== undefined)?.type;
  const constraints = compact(Object.assign({}, ...rules.map((rule) => rule.constraints)) as object);
  const values = rules.find((rule) => rule.values)?.values;
  return compact<ParamsValue>({
    type: fields ? 'object' : (said ?? typeNamed(declared) ?? typeOfValues(values ?? [value]) ?? 'unknown'),
    values,
    constraints: Object.keys(constraints).length > 0 ? constraints : undefined,
    fields,
  });
}

function rulesOf(type: ParamsClass, name: string): Rule[] {
  const rules: Rule[] = [];
  for (let one: unknown = type; typeof one === 'function'; one = Object.getPrototypeOf(one))
    for (const validator of classMetadata(one).validators)
      if (validator.propertyName === name) rules.push(ruleOf(validator));
  return rules;
}

/** The class that `@Type` names, or that the property is declared as. */
function nestedClass(type: ParamsClass, name: string): ParamsClass | undefined {
  for (let one: unknown = type; typeof one === 'function'; one = Object.getPrototypeOf(one)) {
    const found = classMetadata(one).types.find(([property]) => property === name)?.[1];
    const { typeFunction } = Object(found) as { typeFunction?: () => unknown };
    if (typeFunction) return asParams(attempt(typeFunction));
  }
  return asParams(Reflect.getMetadata('design:type', type.prototype as object, name));
}

function asParams(type: unknown): ParamsClass | undefined {
  return typeof type === 'function' && decoratedProperties(type).length > 0
    ? (type as ParamsClass)
    : undefined;
}

const typesByClass = new Map<unknown, ParamsValue['type']>([
  [String, 'string'],
  [Number, 'number'],
  [Boolean, 'boolean'],
  [Date, 'date'],
  [BigInt, 'bigint'],
  [Array, 'array'],
]);

function typeNamed(declared: unknown): ParamsValue['type'] | undefined {
  return typesByClass.get(declared);
}

function typeOfValues(values: readonly unknown[]): ParamsValue['type'] | undefined {
  const types = new Set(values.map((value) => typeof value));
  const [only] = types;
  if (types.size !== 1) return undefined;
  return only === 'string' || only === 'number' || only === 'boolean' || only === 'bigint' ? only : undefined;
}

function defaultsOf(type: ParamsClass): Record<string, unknown> {
  return { ...(Object(attempt(() => new type())) as Record<string, unknown>) };
}

function jsonOf(value: unknown): string | undefined {
  return attempt(() => JSON.stringify(typeof value === 'bigint' ? String(value) : value)) as
    string | undefined;
}

function attempt(look: () => unknown): unknown {
  try {
    return look();
  } catch {
    return undefined;
  }
}
