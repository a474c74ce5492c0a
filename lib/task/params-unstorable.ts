const unstorableTags = new Set([
  'ArrayBuffer',
  'Error',
  'Map',
  'Promise',
  'RegExp',
  'Set',
  'SharedArrayBuffer',
  'WeakMap',
  'WeakRef',
  'WeakSet',
]);

/** Names an object of which JSON would keep nothing or not the point; undefined for any other. */
export function unstorableKind(value: object): string | undefined {
  if (ArrayBuffer.isView(value)) return value.constructor.name;
  // The tag, because `instanceof` misses what was made in another realm.
  const tag = Object.prototype.toString.call(value).slice('[object '.length, -1);
  if (unstorableTags.has(tag)) return tag;
  if ('then' in value && typeof value.then === 'function') return 'Promise';
  // What holds its state inside and shows no property: a Blob, a generator, URLSearchParams …
  return tag !== 'Object' && Object.keys(value).length === 0 ? tag : undefined;
}
