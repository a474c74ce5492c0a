const plainName = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/** A place within params as one writes it in code: `items[2].sku`. */
export function pathText(keys: readonly PropertyKey[]): string {
  return keys.map(segment).join('').replace(/^\./, '');
}

function segment(key: PropertyKey): string {
  if (typeof key === 'string') return plainName.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
  return `[${String(key)}]`;
}

export function valueAt(value: unknown, keys: readonly PropertyKey[]): unknown {
  return keys.reduce<unknown>(
    (at, key) => (at as Record<PropertyKey, unknown> | null | undefined)?.[key],
    value,
  );
}
