import { randomFillSync } from 'node:crypto';

// In ASCII order, so that ids sort by the time they were made: neighbours in time are neighbours in an index.
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~';
const timeDigits = 7;
const randomDigits = 15;

/** Makes ids of 22 characters: 42 bits of time, then 90 random ones, so that no two collide in one millisecond. */
export class TaskIds {
  // Random bytes are drawn many at a time: one draw per id would cost more than the rest of an enqueue.
  private readonly pool = Buffer.allocUnsafe(randomDigits * 512);
  private used = this.pool.length;
  private lastMs = -1;
  private prefix = '';

  next(nowMs: number): string {
    if (nowMs !== this.lastMs) {
      this.lastMs = nowMs;
      this.prefix = digits(nowMs, timeDigits);
    }
    if (this.used >= this.pool.length) {
      randomFillSync(this.pool);
      this.used = 0;
    }
    let id = this.prefix;
    for (const end = this.used + randomDigits; this.used < end; this.used++)
      id += alphabet[this.pool[this.used]! & 63];
    return id;
  }
}

function digits(value: number, count: number): string {
  let text = '';
  for (let rest = value; text.length < count; rest = Math.floor(rest / 64)) text = alphabet[rest % 64] + text;
  return text;
}
