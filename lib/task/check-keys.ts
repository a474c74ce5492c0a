import { InvalidOptionError } from './errors.js';

/** Stops at an option that is not known: a misspelled one would mean nothing. */
export function checkKeys(options: object, known: readonly string[], where: string, option = ''): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new InvalidOptionError(where, option || 'options', options, 'an object');
  const expected = `left out: known options are ${known.join(', ')}`;
  for (const [key, value] of Object.entries(options))
    if (value !== undefined && !known.includes(key))
      throw new InvalidOptionError(where, option ? `${option}.${key}` : key, value, expected);
}
