import type { StandardSchemaV1 } from '@standard-schema/spec';
import {
  compact,
  deepestFields,
  type ParamsConstraints,
  type ParamsField,
  type ParamsValue,
} from './params-fields.js';

/** The part of JSON Schema that schemas of params are made of. */
interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly default?: unknown;
  readonly format?: string;
  readonly description?: string;
}

const constraintNames = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'minItems',
  'maxItems',
  'uniqueItems',
] satisfies (keyof ParamsConstraints)[];

/** What a schema takes, where it can say so by JSON Schema, as zod can. */
export function schemaFields(schema: StandardSchemaV1): readonly ParamsField[] | undefined {
  const json = inputOf(schema);
  if (!json) return undefined;
  return valueOf(json, json, 0).fields;
}

function inputOf(schema: StandardSchemaV1): JsonSchema | undefined {
  const { jsonSchema } = schema['~standard'] as {
    jsonSchema?: { input?: (options: object) => JsonSchema };
  };
  try {
    // What has no words in JSON Schema, such as a Date, may be anything; zod throws unless it is asked so.
    return jsonSchema?.input?.({ target: 'draft-2020-12', libraryOptions: { unrepresentable: 'any' } });
  } catch {
    return undefined;
  }
}

function fieldsOf(
  { properties = {}, required = [] }: JsonSchema,
  root: JsonSchema,
  depth: number,
): ParamsField[] {
  return Object.entries(properties).map(([name, property]) => {
    const value = valueOf(property, root, depth + 1);
    return {
      name,
      ...value,
      required: required.includes(name),
      ...(property.default === undefined ? {} : { default: property.default }),
    };
  });
}

function valueOf(given: JsonSchema, root: JsonSchema, depth: number): ParamsValue {
  const { schema, nullable } = resolved(given, root, depth);
  const types = [schema.type ?? []].flat().filter((type) => type !== 'null');
  const type = typeOf(types.length === 1 ? types[0] : undefined, schema);
  const isObject = type === 'object' && schema.properties && depth < deepestFields;
  return compact<ParamsValue>({
    type,
    nullable: nullable || [schema.type ?? []].flat().includes('null') ? true : undefined,
    values: schema.enum ?? ('const' in schema ? [schema.const] : undefined),
    constraints: constraintsOf(schema),
    items:
      type === 'array' && schema.items && depth < deepestFields
        ? valueOf(schema.items, root, depth + 1)
        : undefined,
    fields: isObject ? fieldsOf(schema, root, depth) : undefined,
    description: given.description ?? schema.description,
  });
}

/** Follows references, and takes `null` out of alternatives; others are left as they are: anything. */
function resolved(
  schema: JsonSchema,
  root: JsonSchema,
  depth: number,
): { schema: JsonSchema; nullable: boolean } {
  const { $ref, anyOf, allOf, enum: values } = schema;
  if ($ref !== undefined && depth <= deepestFields) {
    const name = /^#\/\$defs\/(.+)$/.exec($ref)?.[1];
    const target = name === undefined ? root : root.$defs?.[name];
    return target ? resolved(target, root, depth + 1) : { schema: {}, nullable: false };
  }
  if (allOf) return { schema: Object.assign({}, schema, ...allOf) as JsonSchema, nullable: false };
  if (!anyOf) return { schema, nullable: values?.includes(null) ?? false };
  const others = anyOf.filter(({ type }) => type !== 'null');
  const nullable = others.length < anyOf.length;
  if (others.length === 1) return { schema: resolved(others[0]!, root, depth + 1).schema, nullable };
  const constants = others.map((one) => ('const' in one ? [one.const] : (one.enum ?? [])));
  const isEnum = constants.every(({ length }) => length > 0);
  return { schema: isEnum ? { enum: constants.flat() } : {}, nullable };
}

function typeOf(
  type: string | undefined,
  { enum: values = [], format, ...rest }: JsonSchema,
): ParamsValue['type'] {
  const options = 'const' in rest ? [rest.const] : values.filter((value) => value !== null);
  const known = type ?? (options.length > 0 ? commonType(options) : undefined);
  if (known === 'string' && (format === 'date-time' || format === 'date')) return 'date';
  const types = ['string', 'number', 'integer', 'boolean', 'array', 'object'] as const;
  return types.find((one) => one === known) ?? 'unknown';
}

function commonType(values: readonly unknown[]): string | undefined {
  const types = new Set(values.map((value) => typeof value));
  return types.size === 1 ? [...types][0] : undefined;
}

function constraintsOf(schema: JsonSchema): ParamsConstraints | undefined {
  const found = constraintNames.flatMap((name) => {
    const value = (schema as Record<string, unknown>)[name];
    // zod says so of every integer.
    const isNoLimit = typeof value === 'number' && Math.abs(value) === Number.MAX_SAFE_INTEGER;
    return value === undefined || isNoLimit ? [] : [[name, value] as const];
  });
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}
