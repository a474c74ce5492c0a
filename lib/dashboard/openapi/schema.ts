import type { Components } from './components.js';

/** As OpenAPI 3.0 has it. */
export type JsonSchema = { readonly [key: string]: unknown };

/** A JSON Schema that the compiler knows to be that of exactly `T`. */
export interface Schema<T> {
  readonly json: JsonSchema;
  readonly of?: (value: T) => T;
}

/** The fields of an object, each with its schema. */
export interface ObjectSchema<T> extends Schema<T> {
  readonly required: Readonly<Record<string, JsonSchema>>;
  readonly optional: Readonly<Record<string, JsonSchema>>;
}

type IsOptional<T, K extends keyof T> = Partial<Pick<T, K>> extends Pick<T, K> ? true : false;
type RequiredFields<T> = { [K in keyof T as IsOptional<T, K> extends true ? never : K]-?: Schema<T[K]> };
type OptionalFields<T> = {
  [K in keyof T as IsOptional<T, K> extends true ? K : never]-?: Schema<Exclude<T[K], undefined>>;
};

export const text: Schema<string> = { json: { type: 'string' } };
export const count: Schema<number> = { json: { type: 'integer' } };
export const number: Schema<number> = { json: { type: 'number' } };
export const flag: Schema<boolean> = { json: { type: 'boolean' } };
export const anything: Schema<unknown> = { json: {} };
export const moment: Schema<number> = { json: { type: 'integer', description: 'Milliseconds since 1970.' } };
export const span: Schema<number> = { json: { type: 'number', description: 'Milliseconds.' } };
export const duration: Schema<string | number> = {
  json: { oneOf: [{ type: 'string' }, { type: 'number' }], description: "Milliseconds, or text as in '5m'." },
};

export function oneOf<const T extends string>(...values: [T, ...T[]]): Schema<T> {
  return { json: { type: 'string', enum: values } };
}

export function list<T>(of: Schema<T>): Schema<readonly T[]> {
  return { json: { type: 'array', items: of.json } };
}

export function nullable<T>(of: Schema<T>): Schema<T | null> {
  return { json: { ...of.json, nullable: true } };
}

export function either<A, B>(one: Schema<A>, other: Schema<B>): Schema<A | B> {
  return { json: { oneOf: [one.json, other.json] } };
}

/** Nothing more, nothing less than the fields of `T`. */
export function object<T>(required: RequiredFields<T>, optional: OptionalFields<T>): ObjectSchema<T> {
  const [must, may] = [jsonOf(required), jsonOf(optional)];
  const names = Object.keys(must);
  return {
    required: must,
    optional: may,
    json: { type: 'object', properties: { ...must, ...may }, ...(names.length > 0 && { required: names }) },
  };
}

export function ref<K extends keyof Components>(name: K): Schema<Components[K]> {
  return { json: { $ref: `#/components/schemas/${componentName(name)}` } };
}

/** Of its own, beside the application's. */
export function componentName(name: string): string {
  return `Jobs${name}`;
}

function jsonOf(fields: object): Record<string, JsonSchema> {
  const schemas = Object.entries(fields as Record<string, Schema<unknown>>);
  return Object.fromEntries(schemas.map(([name, { json }]) => [name, json]));
}
