import { BoundedMemo } from './bounded-memo.js';
import { CronSlots } from './cron-slots.js';
import { readCron } from './cron-text.js';
import { CronWall } from './cron-wall.js';
import { InvalidOptionError } from './errors.js';
import { timeZoneNamed } from './time-zone.js';

type Reading = { readonly wall: CronWall } | { readonly reason: string };

const expected = 'five fields, six with seconds in front, or a name such as @daily';
// A list of every minute takes 169; longer texts come from nobody who means well.
const longestText = 256;
// The same few texts are asked for at every slot, but a caller may also make up a new one each time.
const readings = new BoundedMemo(1_000, read);

/** The slots of a text on the wall clock of a zone, both of which have been checked before. */
export function cronIn(text: string, timeZone: string): CronSlots {
  return new CronSlots(wallOf(text, 'a schedule', 'cron'), timeZoneNamed(timeZone));
}

/** Refuses what is no cron text, and one that never matches. */
export function checkCron(text: unknown, where: string, option = 'cron'): void {
  wallOf(text, where, option);
}

function wallOf(text: unknown, where: string, option: string): CronWall {
  if (typeof text !== 'string') throw new InvalidOptionError(where, option, text, expected);
  const given = text.slice(0, longestText + 1);
  const reading: Reading =
    given.length > longestText
      ? { reason: `it has more than ${longestText} characters` }
      : readings.get(given);
  if ('wall' in reading) return reading.wall;
  throw new InvalidOptionError(where, option, given, `${expected}: ${reading.reason}`);
}

function read(text: string): Reading {
  const reading = readCron(text);
  if ('reason' in reading) return reading;
  const wall = new CronWall(reading.fields);
  // The calendar decides, not the day of asking, so all processes agree.
  return wall.firstFrom(Date.UTC(2000)) === undefined ? { reason: 'there is never such a day' } : { wall };
}
