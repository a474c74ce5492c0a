import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkCron } from '../../lib/task/cron.js';
import { InvalidOptionError } from '../../lib/task/errors.js';

function refusal(text: unknown): string {
  try {
    checkCron(text, 'Report');
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidOptionError);
    return (error as Error).message;
  }
  return 'accepted';
}

describe('A cron text that is none', () => {
  it.each([undefined, null, 5, true, {}, [], ['* * * * *'], new Date(0), Symbol('@daily')])(
    'because it is no text is refused: %p',
    (text) => {
      expect(refusal(text)).toMatch(
        /^Report: cron is .*, but must be five fields, six with seconds in front, or a name such as @daily$/,
      );
    },
  );

  it.each([
    ['', 'it has 0 fields'],
    ['   ', 'it has 0 fields'],
    ['5', 'it has 1 field'],
    ['* * *', 'it has 3 fields'],
    ['* * * *', 'it has 4 fields'],
    ['0 0 0 1 1 * 2030', 'it has 7 fields'],
    ['@reboot', 'the names are @yearly, @annually, @monthly, '],
    ['@Daily', 'the names are'],
    ['@', 'the names are'],
    ['@daily @daily', 'the names are'],
    ['@toString', 'the names are'],
    ['daily', 'it has 1 field'],
    ['every 5 minutes please sir', '"every" is no minute'],
    ['60 * * * *', 'got value 60 expected range 0-59'],
    ['0 24 * * *', 'expected range 0-23'],
    ['0 0 0 * *', 'expected range 1-31'],
    ['0 0 32 * *', 'expected range 1-31'],
    ['0 0 * 13 *', 'expected range 1-12'],
    ['0 0 * 0 *', 'expected range 1-12'],
    ['0 0 * * 8', 'expected range 0-7'],
    ['60 * * * * *', 'expected range 0-59'],
    ['-1 * * * *', '"-1" is no minute'],
    ['1.5 * * * *', '"1.5" is no minute'],
    ['1e1 * * * *', '"1e1" is no minute'],
    ['0x1 * * * *', '"0x1" is no minute'],
    ['5-1 * * * *', 'Invalid range: 5-1'],
    ['0-999999999 * * * *', 'expected range 0-59'],
    ['*/0 * * * *', 'cannot repeat at every 0 time'],
    ['*/-5 * * * *', '"*/-5" is no minute'],
    ['*/ * * * *', '"*/" is no minute'],
    ['/5 * * * *', '"/5" is no minute'],
    ['*/5/5 * * * *', '"*/5/5" is no minute'],
    ['1-2-3 * * * *', '"1-2-3" is no minute'],
    ['1,,2 * * * *', '"" is no minute'],
    ['1, * * * *', '"" is no minute'],
    ['1,1 * * * *', 'duplicate values found: 1'],
    ['5* * * * *', '"5*" is no minute'],
    ['** * * * *', '"**" is no minute'],
    ['0 0 15L * *', '"15L" is no day of month'],
    ['0 0 L-3 * *', '"L-3" is no day of month'],
    ['0 0 15W * *', '"15W" is no day of month'],
    ['0 0 * L *', '"L" is no month'],
    ['L * * * *', '"L" is no minute'],
    ['0 0 * * L', '"L" is no day of week'],
    ['0 0 * * 8L', '"8L" is no day of week'],
    ['0 0 * * 5l', '"5l" is no day of week'],
    ['0 0 * * 5#6', 'invalid dayOfWeek occurrence number'],
    ['0 0 * * 5#0', 'invalid dayOfWeek occurrence number'],
    ['0 0 * * 5#', '"5#" is no day of week'],
    ['0 0 * * 5#1#2', '"5#1#2" is no day of week'],
    ['0 0 * * 5L#2', '"5L#2" is no day of week'],
    ['0 0 * * 1#1,2#1', '`#` and `,` special characters are incompatible'],
    ['0 0 * * FUN', 'cannot resolve alias "fun"'],
    ['0 0 * FOO *', 'cannot resolve alias "foo"'],
    ['0 0 * MARCH *', '"MARCH" is no month'],
    ['0 0 * * THURSDAY', '"THURSDAY" is no day of week'],
    ['0 0 MON * *', '"MON" is no day of month'],
    ['H * * * *', 'H would be drawn at random'],
    ['H/15 * * * *', 'H would be drawn at random'],
    ['0 H(8-17) * * *', 'H would be drawn at random'],
    ['1,H * * * *', 'H would be drawn at random'],
    ['0 0 * * H', 'H would be drawn at random'],
    ['0 0 * * MONH', '"MONH" is no day of week'],
    ['0 0 * * 1H', '"1H" is no day of week'],
    ['h * * * *', '"h" is no minute'],
    ['٣ * * * *', '"٣" is no minute'],
    ['0 0 30 2 *', 'Invalid explicit day of month definition'],
    ['0 0 31 4,6 *', 'there is never such a day'],
    ['0 0 30,31 2 ?', 'Invalid explicit day of month definition'],
    ['0 0 31 2,4,6,9,11 *', 'there is never such a day'],
  ])('is refused with the class, the text and the reason: %j', (text, reason) => {
    expect(refusal(text)).toContain(`Report: cron is ${JSON.stringify(text)}, but must be five fields, `);
    expect(refusal(text)).toContain(`@daily: `);
    expect(refusal(text)).toContain(reason);
  });

  it('is reported under the option that it was given for', () => {
    expect(() => checkCron('no', 'Report', 'schedule')).toThrow(/^Report: schedule is "no"/);
  });

  it.each([
    '1,'.repeat(1_000_000) + '1 * * * *',
    '* '.repeat(500_000),
    `${'0'.repeat(300)} * * * *`,
    ' '.repeat(300) + '* * * * *',
    `@${'d'.repeat(10_000)}`,
  ])('is refused before it is looked at where it is longer than any cron text', (text) => {
    expect(refusal(text)).toMatch(/it has more than 256 characters$/);
    expect(refusal(text).length).toBeLessThan(400);
  });

  it('is refused without a search where it is made to take long', () => {
    for (const text of [
      `${'0-59,'.repeat(45)}0 * * * *`,
      `${'*/1,'.repeat(50)}* * * * *`,
      `${'9'.repeat(240)} * * * *`,
      `0-59/${'9'.repeat(200)}1-1 * * * *`,
      `${'H(0-59)/1,'.repeat(20)}1 * * * *`,
      `${'-'.repeat(200)} * * * *`,
      `${'H('.repeat(100)} * * * *`,
      `0 0 * * ${'mon'.repeat(70)}`,
    ])
      expect(refusal(text)).toMatch(/^Report: cron is /);
  });

  it('is refused and never thrown otherwise, whatever it is', () => {
    const piece = fc.constantFrom(
      ...'0 1 5 9 31 59 60 * ? / - , # L W H ( ) @ mon FEB x  '.split(' '),
      ' ',
      '\t',
      '\u00a0',
      '\0',
    );
    const text = fc.oneof(
      fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('')),
      fc.string({ unit: 'binary', maxLength: 60 }),
    );
    fc.assert(
      fc.property(fc.oneof(text, fc.anything()), (value) => {
        expect(refusal(value)).toMatch(/^(accepted$|Report: cron is )/);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('A cron text', () => {
  it.each([
    '* * * * *',
    '*/1 */1 */1 */1 */1 */1',
    '? ? ? ? ? ?',
    `${Array.from({ length: 60 }, (_, minute) => minute).join(',')} * * * *`,
    '0 0 29 2 *',
    '0 0 29 FEB MON#5',
    '0 0 31 4,6 0',
    '0 0 * JUL,MAR THU',
    '0 0 L * 5L',
    '0 8 1 * *',
    ' @daily ',
  ])('may be %j', (text) => {
    expect(refusal(text)).toBe('accepted');
  });
});
