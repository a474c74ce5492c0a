import 'reflect-metadata';
import { classMetadata, type ClassMetadata } from './class-metadata.js';

/** What decides, of a class, whether a value of it passes; undefined for a function that is no class. */
export function classParts(type: object): object | undefined {
  const source = Function.prototype.toString.call(type);
  const { types, transforms, exposed, excluded, ...metadata } = classMetadata(type);
  const validators = metadata.validators.map(validatorParts);
  if (!source.startsWith('class') && validators.length === 0) return undefined;
  const properties = new Set(validators.map(({ property }) => property));
  return {
    source,
    above: Object.getPrototypeOf(type) as unknown,
    validators,
    declared: Array.from(properties, (property) => declaredType(type, property)),
    types: types.map(nestedType),
    transforms,
    exposed,
    excluded,
  };
}

function validatorParts(validator: ClassMetadata['validators'][number]) {
  return {
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
  };
}

function declaredType(type: object, property: string): unknown {
  const { prototype } = type as { prototype: object };
  return Reflect.getMetadata('design:type', prototype, property);
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
