interface SchemaLike {
  readonly '~standard'?: { readonly vendor?: unknown };
  readonly _zod?: { readonly def?: object };
  readonly _def?: object;
}

interface ArkType {
  readonly json: unknown;
  readonly references: readonly { readonly predicate?: unknown; readonly morphs?: unknown }[];
}

/** What decides, of a schema, whether a value passes; undefined where all of its data does, as with valibot. */
export function schemaParts(schema: SchemaLike): object | undefined {
  const { _zod: internals, _def: definition = internals?.def } = schema;
  if (definition) return definitionParts(definition);
  if (schema['~standard']?.vendor === 'arktype') return arkParts(schema as unknown as ArkType);
  return 'getter' in schema ? definitionParts(schema) : undefined;
}

/** Reads what a definition gives only when asked: a shape, and a schema that refers to itself. */
function definitionParts(definition: object): object {
  const parts: Record<string, unknown> = {};
  for (const key of Object.keys(definition)) {
    // A default may be another at each look, and is not checked; zod notes what it has found out under names of its own.
    if (key === 'defaultValue' || key.startsWith('_')) continue;
    const part = (definition as Record<string, unknown>)[key];
    const isLazy = typeof part === 'function' && (key === 'shape' || key === 'getter');
    parts[key] = isLazy ? (part as () => unknown)() : part;
  }
  return parts;
}

/** Names of functions in arktype's JSON are numbered as they come up in a process: their sources say more. */
function arkParts({ json, references }: ArkType): object {
  return {
    json: JSON.stringify(json).replace(/(\$ark\.[A-Za-z]+)\d+/g, '$1'),
    functions: references.map(({ predicate, morphs }) => [predicate, morphs]),
  };
}
