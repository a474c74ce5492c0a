import { CronDays } from './cron-days.js';
import type { CronFields } from './cron-text.js';

const daySeconds = 86_400;

/** The matches of a cron text on a wall clock that knows no zone: its times are written as if they were UTC. */
export class CronWall {
  readonly hasFixedHours: boolean;
  private readonly days: CronDays;
  private readonly firstTime: number;
  private readonly lastTime: number;

  constructor(private readonly fields: CronFields) {
    const { hours, minutes, seconds, hasFixedHours } = fields;
    this.hasFixedHours = hasFixedHours;
    this.days = new CronDays(fields);
    this.firstTime = timeOf(hours[0]!, minutes[0]!, seconds[0]!);
    this.lastTime = timeOf(hours.at(-1)!, minutes.at(-1)!, seconds.at(-1)!);
  }

  /** The first match that is not before `wall`. */
  firstFrom(wall: number): number | undefined {
    const from = Math.ceil(wall / 1_000);
    const today = Math.floor(from / daySeconds);
    const time = this.timeFrom(from - today * daySeconds);
    const day = this.days.firstFrom(time === undefined ? today + 1 : today);
    return day === undefined ? undefined : wallOf(day, (day === today ? time : undefined) ?? this.firstTime);
  }

  /** The last match that is not after `wall`. */
  lastUpTo(wall: number): number | undefined {
    const to = Math.floor(wall / 1_000);
    const today = Math.floor(to / daySeconds);
    const time = this.timeUpTo(to - today * daySeconds);
    const day = this.days.lastUpTo(time === undefined ? today - 1 : today);
    return day === undefined ? undefined : wallOf(day, (day === today ? time : undefined) ?? this.lastTime);
  }

  private timeFrom(from: number): number | undefined {
    const { hours, minutes, seconds } = this.fields;
    const [hour, minute, second] = split(from);
    if (hours.includes(hour)) {
      const nextSecond = minutes.includes(minute) ? seconds.find((one) => one >= second) : undefined;
      if (nextSecond !== undefined) return timeOf(hour, minute, nextSecond);
      const nextMinute = minutes.find((one) => one > minute);
      if (nextMinute !== undefined) return timeOf(hour, nextMinute, seconds[0]!);
    }
    const nextHour = hours.find((one) => one > hour);
    return nextHour === undefined ? undefined : timeOf(nextHour, minutes[0]!, seconds[0]!);
  }

  private timeUpTo(to: number): number | undefined {
    const { hours, minutes, seconds } = this.fields;
    const [hour, minute, second] = split(to);
    if (hours.includes(hour)) {
      const nextSecond = minutes.includes(minute) ? seconds.findLast((one) => one <= second) : undefined;
      if (nextSecond !== undefined) return timeOf(hour, minute, nextSecond);
      const nextMinute = minutes.findLast((one) => one < minute);
      if (nextMinute !== undefined) return timeOf(hour, nextMinute, seconds.at(-1)!);
    }
    const nextHour = hours.findLast((one) => one < hour);
    return nextHour === undefined ? undefined : timeOf(nextHour, minutes.at(-1)!, seconds.at(-1)!);
  }
}

/** Seconds since midnight. */
function timeOf(hour: number, minute: number, second: number): number {
  return hour * 3_600 + minute * 60 + second;
}

function split(time: number): [hour: number, minute: number, second: number] {
  return [Math.floor(time / 3_600), Math.floor(time / 60) % 60, time % 60];
}

function wallOf(day: number, time: number): number {
  return (day * daySeconds + time) * 1_000;
}
