import 'reflect-metadata';
import { classMetadata } from './class-metadata.js';
import { InvalidOptionError } from './errors.js';
import { jsonSchemaOf, knownParams, type JsonSchema } from './known-params.js';
import type { ParamsType } from './params.js';
import type { RedactPath } from './redact-path.js';

type Class = new () => unknown;

/** Stops at a path that leads nowhere, where that can be known: a misspelled one would hide nothing. */
export function checkRedactPaths(
  paths: readonly RedactPath[],
  params: ParamsType | undefined,
  where: string,
): void {
  if (!params) return;
  for (const path of paths) {
    const why = '~standard' in params ? missingInSchema(params, path) : missingInClass(params, path);
    if (why !== undefined)
      throw new InvalidOptionError(where, 'redact', path.join('.'), `a path of params: ${why}`);
  }
}

const leaves: readonly unknown[] = [String, Number, Boolean, Date, BigInt];

/** Why a path cannot lead anywhere; undefined where it can, as far as decorators tell. */
function missingInClass(type: Class, [name, ...rest]: RedactPath): string | undefined {
  const known = knownParams(type);
  if (!known || name === undefined || name === '*') return undefined;
  if (!known.has(name)) return `${known.owner} has no '${name}', only ${known.names.join(', ')}${known.hint}`;
  if (rest.length === 0) return undefined;
  const declared: unknown = Reflect.getMetadata('design:type', type.prototype as object, name);
  if (leaves.includes(declared)) return `'${name}' of ${known.owner} holds nothing by a name`;
  const nested = nestedClass(type, name) ?? (isOwn(declared) ? declared : undefined);
  if (!nested || declared === Map) return undefined;
  // An item of a list may be named by its index, by '*', or not at all.
  const isItem = declared === Array && /^(\*|\d+)$/.test(rest[0]!);
  return missingInClass(nested, isItem ? rest.slice(1) : rest);
}

function isOwn(declared: unknown): declared is Class {
  return typeof declared === 'function' && ![Object, Array, Map, Set].includes(declared as never);
}

/** What `@Type` says that a property holds. */
function nestedClass(type: unknown, name: string): Class | undefined {
  for (let one = type; typeof one === 'function'; one = Object.getPrototypeOf(one) as unknown) {
    const found = classMetadata(one).types.find(([property]) => property === name);
    if (!found) continue;
    try {
      const made = (found[1] as { typeFunction?: () => unknown }).typeFunction?.();
      return isOwn(made) && !leaves.includes(made) ? made : undefined;
    } catch {
      // It counts on a value.
      return undefined;
    }
  }
  return undefined;
}

/** What is stored is what goes in, and what a handler gets is what comes out: a path may be of either. */
function missingInSchema(schema: Extract<ParamsType, { '~standard': unknown }>, path: RedactPath) {
  const missing = missingIn(jsonSchemaOf(schema, 'output'), path);
  const isOfInput = missing !== undefined && leadsIn(jsonSchemaOf(schema, 'input'), path);
  return isOfInput ? undefined : missing;
}

/** Only where a schema says that there is nothing else. */
function missingIn(schema: JsonSchema | undefined, path: RedactPath): string | undefined {
  const [name, ...rest] = path;
  if (name === undefined || !schema) return undefined;
  if (schema.type === 'array') return missingIn(schema.items, /^(\*|\d+)$/.test(name) ? rest : path);
  const { type, properties, patternProperties, additionalProperties } = schema;
  if (type !== 'object' || !properties || patternProperties || additionalProperties !== false)
    return undefined;
  if (name === '*') return undefined;
  const inner = properties[name];
  return inner
    ? missingIn(inner, rest)
    : `the schema has no '${name}', only ${Object.keys(properties).join(', ')}`;
}

function leadsIn(schema: JsonSchema | undefined, path: RedactPath): boolean {
  const [name, ...rest] = path;
  if (name === undefined) return true;
  if (schema?.type === 'array') return leadsIn(schema.items, /^(\*|\d+)$/.test(name) ? rest : path);
  const inner = schema?.properties?.[name];
  return inner !== undefined && leadsIn(inner, rest);
}
