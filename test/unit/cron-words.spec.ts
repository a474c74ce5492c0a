import { describe, expect, it, test } from '@jest/globals';
import { CronExpression } from '../../lib/job/cron-expression.js';
import { cronWords } from '../../lib/catalog/cron-words.js';
import { ruleWords } from '../../lib/catalog/rule-words.js';

describe('A cron text in words', () => {
  test.each([
    ['* * * * *', 'every minute'],
    ['*/5 * * * *', 'every 5 minutes'],
    ['*/30 * * * * *', 'every 30 seconds'],
    ['* * * * * *', 'every second'],
    ['0 * * * *', 'every hour'],
    ['@hourly', 'every hour'],
    ['@daily', 'at 00:00 every day, UTC'],
    ['@weekly', 'at 00:00 on Sunday, UTC'],
    ['@yearly', 'at 00:00 on the first of January, UTC'],
    ['30 * * * *', 'at minute 30 of every hour, UTC'],
    ['5,35 * * * *', 'every 30 minutes from 00:05 on, UTC'],
    ['5,20 * * * *', 'at minutes 5 and 20 of every hour, UTC'],
    ['0 */2 * * *', 'every 2 hours, UTC'],
    ['30 */2 * * *', 'every 2 hours from 00:30 on, UTC'],
    ['0 8 * * *', 'at 08:00 every day, UTC'],
    ['0 8,20 * * *', 'at 08:00 and 20:00 every day, UTC'],
    ['15 30 8 * * *', 'at 08:30:15 every day, UTC'],
    ['0 9-17 * * 1-5', 'every hour from 09:00 to 17:00 from Monday to Friday, UTC'],
    ['*/30 9-17 * * *', 'every 30 minutes from 09:00 to 17:30, UTC'],
    ['* 9-17 * * *', 'every minute from 09:00 to 17:59, UTC'],
    ['0 7 * * 1-5', 'at 07:00 from Monday to Friday, UTC'],
    ['0 7 * * MON', 'at 07:00 on Monday, UTC'],
    ['0 7 * * 0,6', 'at 07:00 on Sunday and Saturday, UTC'],
    ['0 7 * * 1,3,5', 'at 07:00 on Monday, Wednesday and Friday, UTC'],
    ['0 7 * * 5#3', 'at 07:00 on the third Friday of the month, UTC'],
    ['0 7 * * 5L', 'at 07:00 on the last Friday of the month, UTC'],
    ['0 0 L * *', 'at 00:00 on the last day of the month, UTC'],
    ['0 0 1,15 * *', 'at 00:00 on the 1st and 15th of the month, UTC'],
    ['0 0 1,L * *', 'at 00:00 on the 1st and last day of the month, UTC'],
    ['0 0 22 * *', 'at 00:00 on the 22nd of the month, UTC'],
    ['0 0 1-7 * *', 'at 00:00 from the 1st to the 7th of the month, UTC'],
    ['0 0 1 */3 *', 'at 00:00 on the first of January, April, July and October, UTC'],
    ['0 0 * 12 *', 'at 00:00 every day in December, UTC'],
    ['0 0 * 12 1', 'at 00:00 on Monday in December, UTC'],
    ['*/10 * * * 1', 'every 10 minutes on Monday, UTC'],
    // Either will do.
    ['0 0 13 * 5', 'at 00:00 on the 13th of the month and on Friday, UTC'],
    ['0 0 1 1 1', 'at 00:00 on the first of January and on Monday in January, UTC'],
  ])('%s is %s', (cron, words) => {
    expect(cronWords(cron, 'UTC')).toBe(words);
  });

  it('does not call uneven steps even: what starts anew each hour or day is said as it is', () => {
    expect(cronWords('*/25 * * * *', 'UTC')).toBe('at minutes 0, 25 and 50 of every hour, UTC');
    expect(cronWords('0 */7 * * *', 'UTC')).toBe('at 00:00, 07:00, 14:00 and 21:00 every day, UTC');
    expect(cronWords('0 */5 * * *', 'UTC')).toBe('every 5 hours from 00:00 to 20:00, UTC');
  });

  it('names the zone', () => {
    expect(cronWords('0 8 1 * *', 'Africa/Accra')).toBe('at 08:00 on the first of the month, Africa/Accra');
  });

  test.each(['7,13,29 1-5,9 * * *', '0 0 1,3,5,7,9,11,13,15,17 * *', 'nonsense'])(
    'is the text itself where there are no short words: %s',
    (cron) => {
      expect(cronWords(cron, 'UTC')).toBe(`${cron}, UTC`);
    },
  );

  it('there are words for every expression with a name', () => {
    const wordless = Object.values(CronExpression).filter((cron) => cronWords(cron, 'UTC').startsWith(cron));
    expect(wordless).toEqual([]);
  });
});

describe('A rule in words', () => {
  test.each([
    [{ ms: 300_000 }, 'every 5 minutes'],
    [{ ms: 60_000 }, 'every minute'],
    [{ ms: 90_000 }, 'every 90 seconds'],
    [{ ms: 1_500 }, 'every 1500 milliseconds'],
    [{ ms: 86_400_000 }, 'every day'],
    [{ ms: 14 * 86_400_000 }, 'every 2 weeks'],
    [{ months: 1 }, 'every month'],
    [{ months: 3 }, 'every 3 months'],
    [{ months: 24 }, 'every 2 years'],
  ])('%j is %s', (every, words) => {
    expect(ruleWords({ every })).toBe(words);
  });

  it('says when it ends', () => {
    expect(ruleWords({ every: { ms: 3_600_000 }, for: { ms: 86_400_000 } })).toBe('every hour, for 1 day');
    const until = Date.UTC(2031, 0, 1, 12, 30);
    expect(ruleWords({ cron: '0 8 * * *', timeZone: 'UTC', until })).toBe(
      'at 08:00 every day, UTC, until 2031-01-01 12:30 UTC',
    );
  });
});
