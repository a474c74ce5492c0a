import { readCron, type CronFields } from '../task/cron-text.js';
import { cronDayWords } from './cron-day-words.js';
import { listed } from './listed.js';

// No library that is a dependency of ours does this, and the ones there are take `*/7` for "every 7 minutes".

const dayS = 86_400;
const hourS = 3_600;
const mostNamed = 6;

/** A cron text in words that mean just what it means: `at 08:00 every day, UTC`; where there are no short ones, the text. */
export function cronWords(cron: string, timeZone: string): string {
  const reading = readCron(cron);
  if ('reason' in reading) return inZone(cron, timeZone);
  const { fields } = reading;
  const time = timeWords(timesOf(fields));
  const day = cronDayWords(fields);
  if (time === undefined || day === undefined) return inZone(cron, timeZone);
  // What comes every hour, or more often, comes so everywhere.
  if (time.isEverywhere && day === '') return time.words;
  return inZone(`${time.words}${day === '' ? (time.isList ? ' every day' : '') : ` ${day}`}`, timeZone);
}

function inZone(words: string, timeZone: string): string {
  return `${words}, ${timeZone}`;
}

/** The times of a day, in seconds, ascending. */
function timesOf({ hours, minutes, seconds }: CronFields): number[] {
  return hours.flatMap((hour) =>
    minutes.flatMap((minute) => seconds.map((second) => hour * hourS + minute * 60 + second)),
  );
}

interface TimeWords {
  readonly words: string;
  /** It goes on all day, so often that the zone does not matter. */
  readonly isEverywhere?: boolean;
  /** It names moments: "every day" is then worth saying. */
  readonly isList?: boolean;
}

function timeWords(times: readonly number[]): TimeWords | undefined {
  const [first = 0, second = dayS] = times;
  const step = second - first;
  const isEven = times.every((time, index) => time === first + index * step);
  if (isEven && times.length > 1 && times.length * step === dayS) return allDayWords(first, step);
  if (times.length <= 4) return { words: `at ${listed(times.map(clock))}`, isList: true };
  if (isEven) return { words: `every ${stepWords(step)} from ${clock(first)} to ${clock(times.at(-1)!)}` };
  return (
    hourlyWords(times) ??
    (times.length <= mostNamed ? { words: `at ${listed(times.map(clock))}`, isList: true } : undefined)
  );
}

function allDayWords(first: number, step: number): TimeWords {
  if (first === 0) return { words: `every ${stepWords(step)}`, isEverywhere: step <= hourS };
  if (step === hourS && first % 60 === 0) return { words: `at minute ${first / 60} of every hour` };
  return { words: `every ${stepWords(step)} from ${clock(first)} on` };
}

/** The same minutes in every hour. */
function hourlyWords(times: readonly number[]): TimeWords | undefined {
  const perHour = times.length / 24;
  const minutes = times.slice(0, perHour).map((time) => time / 60);
  const isHourly = times.every(
    (time, index) => time === Math.floor(index / perHour) * hourS + minutes[index % perHour]! * 60,
  );
  if (!isHourly || minutes.length > 10 || !minutes.every(Number.isInteger)) return undefined;
  return { words: `at minutes ${listed(minutes.map(String))} of every hour` };
}

function stepWords(seconds: number): string {
  if (seconds % hourS === 0) return counted(seconds / hourS, 'hour');
  return seconds % 60 === 0 ? counted(seconds / 60, 'minute') : counted(seconds, 'second');
}

function counted(count: number, unit: string): string {
  return count === 1 ? unit : `${count} ${unit}s`;
}

function clock(time: number): string {
  const parts = [Math.floor(time / hourS), Math.floor((time % hourS) / 60)];
  if (time % 60 !== 0) parts.push(time % 60);
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}
