import { describe, expect, it, test } from '@jest/globals';
import { InvalidCursorError } from '../../lib/catalog/errors.js';
import { cursorText, digestOf, isWalkPlace, readCursor } from '../../lib/catalog/page-cursor.js';

const digest = digestOf({ states: ['dead'] });
const place = { key: 1, upTo: 'mail', open: [['mail', 'somewhere']] };
const text = cursorText('tasks', digest, place);
const read = (given: unknown, call = 'tasks', asked = digest) => readCursor(call, asked, given, isWalkPlace);

describe('A cursor', () => {
  it('gives back the place that it was made of, and goes through an address as it is', () => {
    expect(read(text)).toEqual(place);
    expect(encodeURIComponent(text)).toBe(text);
  });

  test.each([
    ['nonsense', 'nonsense!'],
    ['no text', 7],
    ['empty', ''],
    ['no list', Buffer.from('{}').toString('base64url')],
    ['cut off', text.slice(0, -6)],
    ['endless', 'a'.repeat(200_000)],
    ['of another version', Buffer.from(JSON.stringify([2, 'tasks', digest, place])).toString('base64url')],
    ['without a place', cursorText('tasks', digest, 'here')],
    ['with half a place', cursorText('tasks', digest, { ...place, open: [['mail']] })],
    ['with a place before the first', cursorText('tasks', digest, { ...place, key: -1 })],
  ])('that is %s is refused by a typed error', (_, given) => {
    expect(() => read(given)).toThrow(InvalidCursorError);
    expect(() => read(given)).toThrow(/^tasks: after is .* leave it out to begin anew/);
  });

  it('is refused where the method or the filter is another', () => {
    expect(() => read(text, 'schedules')).toThrow(/another method/);
    expect(() => read(text, 'tasks', digestOf({ states: ['parked'] }))).toThrow(/another filter/);
  });
});
