/**
 * A value as text that is the same for equal values: whatever the order of properties, and with what JSON leaves out left
 * out. Kinds that JSON would mix up (a Map, a Set, a bigint) stay apart. Cycles are refused by the params before.
 */
export function canonicalText(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'number':
      // As JSON has it: a value must not change on its way through the store.
      return Number.isFinite(value) ? String(value === 0 ? 0 : value) : 'null';
    case 'boolean':
      return String(value);
    case 'bigint':
      return JSON.stringify(String(value));
    case 'object':
      return objectText(value);
    default:
      return 'null';
  }
}

function objectText(value: object): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`;
  if (value instanceof Map)
    return `Map{${Array.from(value, ([key, item]) => `${canonicalText(key)}:${canonicalText(item)}`)
      .sort()
      .join()}}`;
  if (value instanceof Set) return `Set{${Array.from(value, canonicalText).sort().join()}}`;
  if (hasToJson(value)) return canonicalText(value.toJSON());
  const pairs = Object.entries(value)
    .filter(([, item]) => item !== undefined && typeof item !== 'function' && typeof item !== 'symbol')
    .map(([key, item]) => `${JSON.stringify(key)}:${canonicalText(item)}`);
  return `{${pairs.sort().join()}}`;
}

function hasToJson(value: object): value is { toJSON(): unknown } {
  return typeof (value as { toJSON?: unknown }).toJSON === 'function';
}
