/** What the params of a job are, for a form that asks for them. */
export interface ParamsSchema {
  readonly job: string;
  /** What declares them: a class with class-validator's decorators, a schema, or nothing. */
  readonly source: 'class' | 'schema' | 'none';
  /** Undefined where the declaration does not tell: any JSON may then be tried. */
  readonly fields?: readonly ParamsField[];
}

/** A field by its name. */
export interface ParamsField extends ParamsValue {
  readonly name: string;
  /** Whether params without it are refused. */
  readonly required: boolean;
  /** What it is where it is left out. */
  readonly default?: unknown;
}

/** What a value must be. A date and a bigint are sent as text. */
export interface ParamsValue {
  readonly type:
    'string' | 'number' | 'integer' | 'boolean' | 'date' | 'bigint' | 'array' | 'object' | 'unknown';
  /** It may be null as well. */
  readonly nullable?: boolean;
  /** The only values that pass. */
  readonly values?: readonly unknown[];
  readonly constraints?: ParamsConstraints;
  /** What the items of an array must be. */
  readonly items?: ParamsValue;
  /** The fields of an object. */
  readonly fields?: readonly ParamsField[];
  readonly description?: string;
}

/** As JSON Schema names them. */
export interface ParamsConstraints {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  /** The source of a regular expression. */
  readonly pattern?: string;
  /** `email`, `uri`, `uuid`, `date-time` and others. */
  readonly format?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
}

/** Deeper ones are objects without fields: a class may hold itself. */
export const deepestFields = 5;

/** Leaves out what says nothing. */
export function compact<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as T;
}
