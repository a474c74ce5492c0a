import type { StandardSchemaV1 } from '@standard-schema/spec';
import { decoratedProperties } from './class-metadata.js';
import type { ParamsType } from './params.js';

/** The names that the params of a job can have, as far as their declaration tells. */
export interface KnownParams {
  /** What declares them, as messages call it. */
  readonly owner: string;
  readonly names: readonly string[];
  has(name: string): boolean;
  /** What to do about a name that is right but not known; may be empty. */
  readonly hint: string;
}

/** Undefined where there may be others: what is not known must not be called wrong. */
export function knownParams(params: ParamsType): KnownParams | undefined {
  return '~standard' in params ? ofSchema(params) : ofClass(params);
}

/**
 * Properties with a decorator or a value. The compiler may leave no trace of others; a class of which none is decorated says
 * too little.
 */
function ofClass(type: new () => unknown): KnownParams | undefined {
  const decorated = decoratedProperties(type);
  if (decorated.length === 0) return undefined;
  const made = instanceOf(type);
  const names = [...new Set([...decorated, ...Object.keys(made)])];
  return {
    owner: type.name || 'the class',
    names,
    // A getter is a param for this, too.
    has: (name) => names.includes(name) || (name in made && !(name in Object.prototype)),
    hint: '; a property without a decorator is not known: give it one, such as @Allow()',
  };
}

function instanceOf(type: new () => unknown): object {
  try {
    return Object(new type()) as object;
  } catch {
    return {};
  }
}

/** Where a schema can say by JSON Schema what comes out of it, and that nothing else does. */
function ofSchema(schema: StandardSchemaV1): KnownParams | undefined {
  const { type, properties, patternProperties, additionalProperties } = jsonSchemaOf(schema, 'output');
  if (type !== 'object' || !properties || patternProperties || additionalProperties !== false)
    return undefined;
  const names = Object.keys(properties);
  return { owner: 'the schema', names, has: (name) => names.includes(name), hint: '' };
}

export type JsonSchema = Partial<Record<'type' | 'patternProperties' | 'additionalProperties', unknown>> & {
  properties?: Readonly<Record<string, JsonSchema>>;
  items?: JsonSchema;
};

/** What goes into a schema, or comes out of it, as far as it can say. */
export function jsonSchemaOf(schema: StandardSchemaV1, side: 'input' | 'output'): JsonSchema {
  const { jsonSchema } = schema['~standard'] as {
    jsonSchema?: Partial<Record<typeof side, (options: { target: string }) => JsonSchema>>;
  };
  try {
    return jsonSchema?.[side]?.({ target: 'draft-2020-12' }) ?? {};
  } catch {
    // Dates and transformations, among others, cannot be said so.
    return {};
  }
}
