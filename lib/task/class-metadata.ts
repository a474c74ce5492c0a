import 'reflect-metadata';
// @ts-expect-error: there are no types for it; the package's own entry does not give its storage away.
import { defaultMetadataStorage } from 'class-transformer/cjs/storage.js';
import { getMetadataStorage } from 'class-validator';

/** By class, then by property; what belongs to the class as a whole has no property. */
type Metadata = Map<unknown, Map<string | undefined, unknown>>;
type ByProperty = [property: string | undefined, metadata: unknown][];

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

/** What decorators say of a class itself: what they say of the classes above it is theirs. */
export interface ClassMetadata {
  readonly validators: readonly Validator[];
  readonly types: ByProperty;
  readonly transforms: ByProperty;
  readonly exposed: ByProperty;
  readonly excluded: ByProperty;
}

export function classMetadata(type: unknown): ClassMetadata {
  const { _typeMetadatas, _transformMetadatas, _exposeMetadatas, _excludeMetadatas } = transformations;
  const own = (metadata: Metadata | undefined): ByProperty => [...(metadata?.get(type) ?? [])];
  return {
    validators: validations.validationMetadatas?.get(type) ?? [],
    types: own(_typeMetadatas),
    transforms: own(_transformMetadatas),
    exposed: own(_exposeMetadatas),
    excluded: own(_excludeMetadatas),
  };
}

/** The properties that have a decorator, those of the classes above included. */
export function decoratedProperties(type: object): string[] {
  const names = new Set<string>();
  for (let one: unknown = type; typeof one === 'function'; one = Object.getPrototypeOf(one)) {
    const { validators, types, transforms, exposed, excluded } = classMetadata(one);
    for (const { propertyName } of validators) names.add(propertyName);
    for (const [name] of [...types, ...transforms, ...exposed, ...excluded])
      if (name !== undefined) names.add(name);
  }
  return [...names];
}
