import { InvalidOptionError } from './errors.js';
import { knownParams } from './known-params.js';
import type { ParamsType } from './params.js';
import type { UniqueOptions } from './unique-options.js';

/** Stops at a name that no param has, where the names of all params can be known: a misspelled one would make tasks the same. */
export function checkUniqueNames(
  by: UniqueOptions['by'],
  params: ParamsType | undefined,
  where: string,
): void {
  if (typeof by === 'function' || !by) return;
  const known = params && knownParams(params);
  const unknown = known ? by.filter((name) => !known.has(name)) : [];
  if (!known || unknown.length === 0) return;
  const what = unknown.map((name) => `'${name}'`).join(', ');
  throw new InvalidOptionError(
    where,
    'unique.by',
    by,
    `names of params: ${known.owner} has no ${what}, only ${known.names.join(', ')}${known.hint}`,
  );
}
