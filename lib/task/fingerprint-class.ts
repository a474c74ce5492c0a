import 'reflect-metadata';
// @ts-expect-error: there are no types for it; the package's own entry does not give its storage away.
import { defaultMetadataStorage } from 'class-transformer/cjs/storage.js';
import { getMetadataStorage } from 'class-validator';

/** By class, then by property. */
type Metadata = Map<unknown, Map<string | undefined, unknown>>;

type Validator = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

const validations = getMetadataStorage() as unknown as {
  readonly validationMetadatas?: Map<unknown, Validator[]>;
};
const transformations = defaultMetadataStorage as {
  readonly _typeMetadatas?: Metadata;
  readonly _transformMetadatas?: Metadata;
  readonly _exposeMetadatas?: Metadata;
  readonly _excludeMetadatas?: Metadata;
};

/** What decides, of a class, whether a value of it passes; undefined for a function that is no class. */
export function classParts(type: object): object | undefined {
  const source = Function.prototype.toString.call(type);
  const validators = validatorsOf(type);
  if (!source.startsWith('class') && validators.length === 0) return undefined;
  const { _typeMetadatas, _transformMetadatas, _exposeMetadatas, _excludeMetadatas } = transformations;
  const properties = new Set(validators.map(({ property }) => property));
  return {
    source,
    above: Object.getPrototypeOf(type) as unknown,
    validators,
    declared: Array.from(properties, (property) => declaredType(type, property)),
    types: ownOf(_typeMetadatas, type).map(nestedType),
    transforms: ownOf(_transformMetadatas, type),
    exposed: ownOf(_exposeMetadatas, type),
    excluded: ownOf(_excludeMetadatas, type),
  };
}

/** Its own: those of the classes above it are theirs, and in the order of this process. */
function validatorsOf(type: unknown) {
  return (validations.validationMetadatas?.get(type) ?? []).map((validator) => ({
    property: validator.propertyName,
    type: validator.type,
    name: validator.name,
    constraints: validator.constraints as unknown,
    constraintClass: validator.constraintCls,
    options: validator.validationTypeOptions as unknown,
    groups: validator.groups ?? [],
    always: validator.always ?? false,
    each: validator.each ?? false,
    validateIf: validator.validateIf,
  }));
}

function declaredType(type: object, property: string): unknown {
  const { prototype } = type as { prototype: object };
  return Reflect.getMetadata('design:type', prototype, property);
}

function ownOf(metadata: Metadata | undefined, type: unknown): [string | undefined, unknown][] {
  return [...(metadata?.get(type) ?? [])];
}

/** `@Type` says by a function which class a property holds. */
function nestedType([property, metadata]: [string | undefined, unknown]): unknown {
  const { typeFunction } = metadata as { typeFunction?: (about: object) => unknown };
  return [property, metadata, attempt(() => typeFunction?.({ newObject: {}, object: {}, property }))];
}

function attempt(look: () => unknown): unknown {
  try {
    return look();
  } catch {
    return undefined;
  }
}
