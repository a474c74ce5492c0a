import { BoundedMemo } from './bounded-memo.js';
import { InvalidOptionError } from './errors.js';

/** From `at` on, the zone is `offset` milliseconds east of UTC. */
interface OffsetChange {
  readonly at: number;
  readonly offset: number;
}

/** A stretch of a zone's time: the offset at its start, and the changes after the start, up to and with the end. */
interface Block {
  readonly offset: number;
  readonly changes: readonly OffsetChange[];
}

const dayMs = 86_400_000;
const blockMs = 8 * dayMs;
// Two changes within one step that undo each other are not seen; no zone has had such since 1900.
const stepMs = 4 * dayMs;
const blocksKept = 500;

/** How far the wall clock of a zone is from UTC, and when that changes. Asks Intl once per stretch of time. */
export class TimeZone {
  private readonly format: Intl.DateTimeFormat;
  private readonly isUtc: boolean;
  private readonly blocks = new BoundedMemo(blocksKept, (index: number) => this.blockAt(index * blockMs));

  /** Throws a RangeError for a zone that Intl does not know. */
  constructor(readonly name: string) {
    this.format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hour: 'numeric',
      timeZoneName: 'longOffset',
    });
    this.isUtc = this.format.resolvedOptions().timeZone === 'UTC';
  }

  /** Milliseconds east of UTC. */
  offsetAt(ms: number): number {
    if (this.isUtc) return 0;
    const { offset, changes } = this.blocks.get(Math.floor(ms / blockMs));
    return changes.findLast(({ at }) => at <= ms)?.offset ?? offset;
  }

  /** The first moment after `after`, `upTo` at the latest, from which the offset is another. */
  nextTransition(after: number, upTo: number): number | undefined {
    if (this.isUtc) return undefined;
    for (let index = Math.floor(after / blockMs); index * blockMs < upTo; index++) {
      const change = this.blocks.get(index).changes.find(({ at }) => at > after);
      if (change) return change.at <= upTo ? change.at : undefined;
    }
    return undefined;
  }

  /** The last moment up to `upTo`, but after `after`, from which the offset is another. */
  previousTransition(upTo: number, after: number): number | undefined {
    if (this.isUtc) return undefined;
    for (let index = Math.ceil(upTo / blockMs) - 1; (index + 1) * blockMs > after; index--) {
      const change = this.blocks.get(index).changes.findLast(({ at }) => at <= upTo);
      if (change) return change.at > after ? change.at : undefined;
    }
    return undefined;
  }

  private blockAt(start: number): Block {
    const offsetAtStart = this.askOffset(start);
    const changes: OffsetChange[] = [];
    let [from, offset] = [start, offsetAtStart];
    for (let to = start + stepMs; to <= start + blockMs; to += stepMs) {
      while (this.askOffset(to) !== offset) {
        from = this.firstOther(offset, from, to);
        offset = this.askOffset(from);
        changes.push({ at: from, offset });
      }
      from = to;
    }
    return { offset: offsetAtStart, changes };
  }

  /** The first moment with another offset than that of `from`, where `to` has another. Zones change at whole seconds. */
  private firstOther(offset: number, from: number, to: number): number {
    let [same, other] = [Math.floor(from / 1_000), Math.ceil(to / 1_000)];
    while (other - same > 1) {
      const middle = Math.floor((same + other) / 2);
      if (this.askOffset(middle * 1_000) === offset) same = middle;
      else other = middle;
    }
    return other * 1_000;
  }

  private askOffset(ms: number): number {
    const found = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(this.format.format(ms));
    if (!found) throw new Error(`${this.name}: Intl gives no offset from UTC`);
    const [, sign, hours = 0, minutes = 0, seconds = 0] = found;
    const offset = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000;
    return sign === '-' ? -offset : offset;
  }
}

// A formatter takes 30 kB, and a hundred times longer to make than to ask.
const zones = new BoundedMemo(500, (name: string) => new TimeZone(name));

/** A zone by its name, which has been checked before. */
export function timeZoneNamed(name: string): TimeZone {
  return zones.get(name);
}

export function checkTimeZone(zone: unknown, where: string, option = 'timeZone'): void {
  if (typeof zone !== 'string' || !isKnown(zone))
    throw new InvalidOptionError(
      where,
      option,
      zone,
      "the name of a time zone, such as 'UTC' or 'Europe/Berlin'",
    );
}

function isKnown(zone: string): boolean {
  try {
    timeZoneNamed(zone);
    return true;
  } catch {
    return false;
  }
}
