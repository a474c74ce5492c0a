import 'reflect-metadata';
import { types } from 'node:util';
import type { Violation } from './errors.js';
import { pathText, valueAt } from './params-path.js';

type Visit = (value: unknown, key: PropertyKey, holder: object, path: readonly PropertyKey[]) => void;

/** Makes a bigint of the text in each property declared as one, in `instance` and in the instances it holds. */
export function readBigInts(instance: object): Violation[] {
  const violations: Violation[] = [];
  walk(instance, (value, key, holder, path) => {
    if (value === undefined || value === null || typeof value === 'bigint') return;
    if (!isDeclaredBigInt(holder, key)) return;
    if (isDecimal(value)) Reflect.set(holder, key, BigInt(value));
    else violations.push({ path: pathText(path), message: `${String(key)} must be a bigint` });
  });
  return violations;
}

/** The bigints of `sent` that came back as text, for want of a rule that makes bigints of them again. */
export function lostBigInts(sent: object, arrived: object): Violation[] {
  const violations: Violation[] = [];
  walk(sent, (value, _key, _holder, path) => {
    if (typeof value !== 'bigint' || typeof valueAt(arrived, path) !== 'string') return;
    const message =
      'a BigInt would arrive as text; decorate a property of type bigint, or convert it by @Transform';
    violations.push({ path: pathText(path), message });
  });
  return violations;
}

function walk(object: object, visit: Visit, path: PropertyKey[] = [], seen = new Set<object>()): void {
  // A @Transform may have put anything here: objects that refer to each other, or bytes.
  if (seen.has(object) || ArrayBuffer.isView(object)) return;
  seen.add(object);
  for (const [key, value] of entriesOf(object)) {
    path.push(key);
    visit(value, key, object, path);
    if (typeof value === 'object' && value !== null) walk(value, visit, path, seen);
    path.pop();
  }
}

function entriesOf(object: object): Iterable<[PropertyKey, unknown]> {
  if (Array.isArray(object)) return object.entries();
  if (types.isMap(object)) return object.entries() as Iterable<[PropertyKey, unknown]>;
  if (types.isSet(object)) return [...object].entries();
  return Object.entries(object);
}

function isDeclaredBigInt(holder: object, key: PropertyKey): boolean {
  return typeof key === 'string' && Reflect.getMetadata('design:type', holder, key) === BigInt;
}

function isDecimal(value: unknown): value is string | number {
  return (typeof value === 'string' || typeof value === 'number') && /^-?\d+$/.test(String(value));
}
