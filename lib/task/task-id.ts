import { randomFillSync } from 'node:crypto';

// In ASCII order, so that ids sort by the time they were made: neighbours in time are neighbours in an index.
const alphabet = Buffer.from('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~');
const timeDigits = 7;
const randomDigits = 15;

/** Makes ids of 22 characters: 42 bits of time, then 90 random ones, so that no two collide in one millisecond. */
export class TaskIds {
  // Random bytes are drawn many at a time: one draw per id would cost more than the rest of an enqueue.
  private readonly pool = Buffer.allocUnsafe(randomDigits * 512);
  private used = this.pool.length;
  private readonly id = Buffer.alloc(timeDigits + randomDigits);
  private lastMs = -1;

  next(nowMs: number): string {
    if (nowMs !== this.lastMs) this.writeTime(nowMs);
    if (this.used >= this.pool.length) {
      randomFillSync(this.pool);
      this.used = 0;
    }
    for (let at = timeDigits; at < this.id.length; at++)
      this.id[at] = alphabet[this.pool[this.used++]! & 63]!;
    // One flat string: a sum of single characters would be kept as a tree of them.
    return this.id.toString('latin1');
  }

  private writeTime(nowMs: number): void {
    this.lastMs = nowMs;
    for (let at = timeDigits - 1, rest = nowMs; at >= 0; at--, rest = Math.floor(rest / 64))
      this.id[at] = alphabet[rest % 64]!;
  }
}
