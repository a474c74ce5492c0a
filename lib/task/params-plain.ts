import { types } from 'node:util';
import { InvalidParamsError, type Violation } from './errors.js';
import { messageOf } from './params-failure.js';
import { pathText } from './params-path.js';
import { unstorableKind } from './params-unstorable.js';

/** Deeper params are refused, because the recursion of what handles them would overflow the stack. */
export const depthLimit = 500;

// A large array of nothing but errors must not become a message of megabytes.
const violationLimit = 100;

export interface CopyRules {
  /** What becomes of a BigInt. @default 'refuse' */
  readonly bigints?: 'refuse' | 'keep' | 'text';
  /** Whether objects and dates keep their class. @default false */
  readonly classes?: boolean;
  /** Whether keys such as `constructor` and `toString` are refused, too. @default false */
  readonly inheritedNames?: boolean;
}

/** An object on the way down; `key` is undefined at the root and for what a `toJSON` returned. */
interface Place {
  readonly parent: Place | undefined;
  readonly key: PropertyKey | undefined;
  readonly object: object;
  readonly depth: number;
}

interface Convertible {
  toJSON?(key: string): unknown;
}

const jsonRules: CopyRules = {};

/** `input` as JSON would give it back, and never touched. What JSON would lose or bend is refused with its path. */
export function plainCopy(job: string, input: unknown, rules = jsonRules): unknown {
  const copy = new PlainCopy(rules);
  const plain = copy.of(input);
  if (copy.violations.length > 0) throw copy.error(job);
  return plain;
}

/** Lists what it refuses, for whoever has more to say about the same params. */
export class PlainCopy {
  readonly violations: Violation[] = [];
  private thrown: ErrorOptions | undefined;

  constructor(private readonly rules: CopyRules) {}

  error(job: string, further: readonly Violation[] = []): InvalidParamsError {
    return new InvalidParamsError(job, [...this.violations, ...further], this.thrown);
  }

  of(value: unknown, key?: PropertyKey, parent?: Place): unknown {
    switch (typeof value) {
      case 'string':
      case 'boolean':
      case 'undefined':
        return value;
      case 'number':
        // JSON has no -0, and adding 0 makes it 0.
        return Number.isFinite(value) ? value + 0 : this.refuse(parent, key, `${value} would arrive as null`);
      case 'object':
        return value === null ? null : this.object(value, key, parent);
      case 'bigint':
        return this.bigint(value, key, parent);
      default:
        return this.refuse(parent, key, `a ${typeof value} would not arrive`);
    }
  }

  private bigint(value: bigint, key: PropertyKey | undefined, parent: Place | undefined): unknown {
    if (this.rules.bigints === 'keep') return value;
    if (this.rules.bigints === 'text') return String(value);
    return this.refuse(parent, key, 'a BigInt has no form in JSON; pass it as text');
  }

  private object(value: Convertible, key: PropertyKey | undefined, parent: Place | undefined): unknown {
    const depth = parent === undefined ? 1 : parent.depth + 1;
    if (depth > depthLimit) return this.refuse(parent, key, `is nested deeper than ${depthLimit} levels`);
    for (let above = parent; above !== undefined; above = above.parent) {
      if (above.object === value)
        return this.refuse(parent, key, 'refers back to an object that contains it');
    }
    const place = { parent, key, object: value, depth };
    try {
      if (typeof value.toJSON === 'function') return this.converted(value, place);
      if (Array.isArray(value)) return this.array(value, place);
      const prototype: unknown = Object.getPrototypeOf(value);
      if (prototype === Object.prototype || prototype === null) return this.members(value, place);
      return this.instance(value, place);
    } catch (error) {
      return this.unreadable(parent, key, error);
    }
  }

  private converted(value: Convertible, place: Place): unknown {
    if (ArrayBuffer.isView(value)) return this.instance(value, place);
    if (types.isDate(value)) {
      if (Number.isNaN(value.getTime()))
        return this.refuse(place, undefined, 'an invalid Date would arrive as null');
      if (this.rules.classes) return new Date(value);
    }
    const result = value.toJSON?.(String(place.key ?? ''));
    return result === value ? this.instance(value, place) : this.of(result, undefined, place);
  }

  private instance(value: object, place: Place): unknown {
    if (types.isBoxedPrimitive(value)) return this.of(value.valueOf(), undefined, place);
    const kind = unstorableKind(value);
    if (kind !== undefined)
      return this.refuse(place, undefined, `a value of type ${kind} would not arrive as sent`);
    const copy = this.members(value, place);
    if (!this.rules.classes) return copy;
    const prototype = Object.getPrototypeOf(value) as object;
    return Object.create(prototype, Object.getOwnPropertyDescriptors(copy));
  }

  private array(value: readonly unknown[], place: Place): unknown[] {
    const copy: unknown[] = [];
    for (let index = 0; index < value.length && this.violations.length <= violationLimit; index++) {
      const before = this.violations.length;
      const item = this.of(this.read(value, index, place), index, place);
      if (item === undefined && this.violations.length === before) {
        this.refuse(place, index, 'undefined would arrive as null');
      }
      copy.push(item);
    }
    return copy;
  }

  private members(value: object, place: Place): object {
    const copy: Record<string, unknown> = {};
    for (const key of Object.keys(value)) {
      if (this.isReserved(key, place)) continue;
      const member = this.of(this.read(value, key, place), key, place);
      if (member !== undefined) copy[key] = member;
    }
    for (const symbol of Object.getOwnPropertySymbols(value)) {
      if (Object.prototype.propertyIsEnumerable.call(value, symbol)) {
        this.refuse(place, symbol, 'a symbol key would not arrive');
      }
    }
    return copy;
  }

  private isReserved(key: string, place: Place): boolean {
    if (key === '__proto__' || (key === 'prototype' && place.key === 'constructor')) {
      this.refuse(place, key, 'a key that could change other objects is refused');
      return true;
    }
    if (!this.rules.inheritedNames || !(key in Object.prototype)) return false;
    this.refuse(place, key, 'a key that every object inherits would not arrive in a class');
    return true;
  }

  private read(object: object, key: string | number, place: Place): unknown {
    try {
      return (object as Record<PropertyKey, unknown>)[key];
    } catch (error) {
      return this.unreadable(place, key, error);
    }
  }

  private unreadable(place: Place | undefined, key: PropertyKey | undefined, error: unknown): undefined {
    this.thrown ??= { cause: error };
    return this.refuse(place, key, `cannot be read: ${messageOf(error)}`);
  }

  private refuse(place: Place | undefined, key: PropertyKey | undefined, message: string): undefined {
    if (this.violations.length > violationLimit) return;
    if (this.violations.length === violationLimit) {
      this.violations.push({ path: '', message: 'and more' });
      return;
    }
    const keys = key === undefined ? [] : [key];
    for (let above = place; above !== undefined; above = above.parent) {
      if (above.key !== undefined) keys.unshift(above.key);
    }
    this.violations.push({ path: pathText(keys), message });
  }
}
