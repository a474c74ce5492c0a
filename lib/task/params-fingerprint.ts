import { createHash } from 'node:crypto';
import { types } from 'node:util';
import { classParts } from './fingerprint-class.js';
import { schemaParts } from './fingerprint-schema.js';
import type { ParamsType } from './params.js';

// What lies deeper, or comes later, is left out, in every process alike.
const depthLimit = 60;
const objectLimit = 5_000;

/**
 * A short text that changes with what decides whether stored params pass: the class, its validators and transformations,
 * or the schema. The same code gives the same text in every process. Never throws.
 */
export function paramsFingerprint(params: ParamsType | undefined): string {
  const description = new Description();
  description.add(params, 0);
  return createHash('sha256').update(description.text).digest('hex').slice(0, 16);
}

/** Writes down a value and all it holds; an object that comes again is named by its place. */
class Description {
  private readonly words: string[] = [];
  private readonly places = new Map<object, number>();

  get text(): string {
    return this.words.join(' ');
  }

  add(value: unknown, depth: number): void {
    if (typeof value === 'string') this.words.push(`${value.length}:${value}`);
    else if (typeof value === 'function' || (typeof value === 'object' && value !== null))
      this.addObject(value, depth);
    else this.words.push(String(value));
  }

  private addObject(object: object, depth: number): void {
    const place = this.places.get(object);
    if (place !== undefined) return void this.words.push(`#${place}`);
    this.places.set(object, this.places.size);
    if (depth > depthLimit || this.places.size > objectLimit) return void this.words.push('…');
    const parts = attempt(() => partsOf(object));
    if (typeof parts === 'string') return void this.words.push(parts);
    this.words.push('{');
    for (const part of parts) this.add(part, depth + 1);
    this.words.push('}');
  }
}

/** What an object is made of, as text or as a list. */
function partsOf(object: object): string | unknown[] {
  const known = schemaParts(object) ?? (typeof object === 'function' ? classParts(object) : undefined);
  if (known) return entriesOf(known);
  if (typeof object === 'function') return Function.prototype.toString.call(object);
  if (types.isRegExp(object)) return String(object);
  if (types.isDate(object)) return String(object.getTime());
  if (Array.isArray(object)) return ['array', ...(object as unknown[])];
  if (types.isMap(object)) return ['map', ...[...object].flat()];
  if (types.isSet(object)) return ['set', ...object];
  return entriesOf(object);
}

/** In an order that does not depend on how the object came about; a getter may give another value each time. */
function entriesOf(object: object): unknown[] {
  const parts: unknown[] = [];
  for (const key of Object.keys(object).sort())
    parts.push(key, Object.getOwnPropertyDescriptor(object, key)?.value);
  return parts;
}

/** What user code keeps from being looked at is left out. */
function attempt(look: () => string | unknown[]): string | unknown[] {
  try {
    return look();
  } catch {
    return '!';
  }
}
