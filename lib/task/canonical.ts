import { types } from 'node:util';
import { getMetadataStorage } from 'class-validator';
import { unstorableKind } from './params-unstorable.js';

/** Params are never so deep; what contains itself is. */
const deepest = 1_000;

/** Thrown for a value that could not be told from others of its kind; the message names the kind. */
export class Indistinct extends Error {}

/**
 * A value as text that is the same for equal values: whatever the order of properties, and with what JSON leaves out left
 * out. Kinds that JSON would mix up (a Map, a Set, a bigint) stay apart.
 */
export function canonicalText(value: unknown, depth = 0): string {
  if (value === null || value === undefined) return 'null';
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'number':
      return String(value === 0 ? 0 : value);
    case 'boolean':
      return String(value);
    case 'bigint':
      return `${value}n`;
    case 'object':
      if (depth === deepest) throw new Indistinct('an object that is too deep or contains itself');
      return objectText(value, depth + 1);
    default:
      throw new Indistinct(`a ${typeof value}`);
  }
}

function objectText(value: object, depth: number): string {
  if (Array.isArray(value)) return itemsText(value, depth);
  if (isLiteral(value)) return membersText(value, depth);
  if (types.isMap(value))
    return `Map{${Array.from(
      value,
      ([key, item]) => `${canonicalText(key, depth)}:${canonicalText(item, depth)}`,
    )
      .sort()
      .join()}}`;
  if (types.isSet(value))
    return `Set{${Array.from(value, (item) => canonicalText(item, depth))
      .sort()
      .join()}}`;
  if (ArrayBuffer.isView(value)) return bytesText(value);
  const json = hasToJson(value) ? value.toJSON() : value;
  if (json !== value) return canonicalText(json, depth);
  const kind = unstorableKind(value);
  if (kind !== undefined) throw new Indistinct(`a value of type ${kind}`);
  if (isOpaque(value)) throw new Indistinct(`an instance of ${classOf(value)?.name} that shows no property`);
  return membersText(value, depth);
}

/** What most params are: nothing but their members. Every unique enqueue comes by here, so it is seen at once. */
function isLiteral(value: { then?: unknown; toJSON?: unknown }): boolean {
  return (
    Object.getPrototypeOf(value) === Object.prototype &&
    typeof value.toJSON !== 'function' &&
    typeof value.then !== 'function'
  );
}

function itemsText(items: readonly unknown[], depth: number): string {
  let text = '';
  for (let at = 0; at < items.length; at++)
    text += `${at === 0 ? '' : ','}${canonicalText(items[at], depth)}`;
  return `[${text}]`;
}

function membersText(value: object, depth: number): string {
  let text = '';
  for (const name of Object.keys(value).sort()) {
    const item = (value as Record<string, unknown>)[name];
    if (item === undefined || typeof item === 'function' || typeof item === 'symbol') continue;
    text += `${text && ','}${JSON.stringify(name)}:${canonicalText(item, depth)}`;
  }
  return `{${text}}`;
}

/**
 * Whether an object keeps to itself what tells it from others: an instance without a property. One of a class that declares
 * its properties has none where all were left out.
 */
function isOpaque(value: object): boolean {
  if (Object.keys(value).length > 0) return false;
  const prototype = Object.getPrototypeOf(value) as object | null;
  // The prototype of plain objects, of whichever realm, is the end of its chain.
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return false;
  const type = classOf(value);
  return !type || getMetadataStorage().getTargetValidationMetadatas(type, '', false, false).length === 0;
}

function classOf(value: { constructor?: unknown }): (new () => unknown) | undefined {
  return typeof value.constructor === 'function' ? (value.constructor as new () => unknown) : undefined;
}

function bytesText({ buffer, byteOffset, byteLength, constructor }: ArrayBufferView): string {
  return `${constructor.name}(${Buffer.from(buffer, byteOffset, byteLength).toString('base64')})`;
}

function hasToJson(value: object): value is { toJSON(): unknown } {
  return typeof (value as { toJSON?: unknown }).toJSON === 'function';
}
