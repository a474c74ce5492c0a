import { InvalidOptionError } from '../../task/errors.js';

/** A place in the order of a sorted set, whether a member stands there or not: see lua/place.lua. */
export type Place = readonly [score: string, member: string];

const beginning: Place = ['', ''];

/** As the next page is asked for; `line` is what it is a place of. */
export function placeText(line: string, [score, member]: Place): string | undefined {
  return score === '' ? undefined : Buffer.from(`${line}|${score}|${member}`).toString('base64url');
}

/** Refuses what no page has given: a place somewhere else would leave tasks out. */
export function readPlace(line: string, after: string | undefined): Place {
  if (after === undefined) return beginning;
  const bytes = Buffer.from(after, 'base64url');
  const [, of, score, member] = /^([a-z]+)\|(-?[\d.e+]+|inf)\|(.*)$/s.exec(bytes.toString()) ?? [];
  if (of !== line || bytes.toString('base64url') !== after)
    throw new InvalidOptionError('list', 'after', after, `what the page before gave as next`);
  return [score!, member!];
}
