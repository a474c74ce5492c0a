/** A random source that gives the same numbers for the same seed (sfc32). */
export class Seeded {
  private a = 0x9e3779b9;
  private b = 0x243f6a88;
  private c: number;
  private counter = 1;

  constructor(seed: number) {
    this.c = seed >>> 0;
    this.a ^= Math.floor(seed / 2 ** 32);
    for (let round = 0; round < 15; round++) this.next();
  }

  /** From 0 up to, but not including, 1. */
  next(): number {
    const sum = (this.a + this.b + this.counter++) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = ((this.c << 21) | (this.c >>> 11)) + sum;
    this.c |= 0;
    return (sum >>> 0) / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  between(least: number, most: number): number {
    return least + this.next() * (most - least);
  }

  /** A whole number, both ends included. */
  int(least: number, most: number): number {
    return Math.floor(this.between(least, most + 1));
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.next() * items.length)]!;
  }

  /** Mostly near `least`, now and then far beyond: as delays are. */
  longTailed(least: number, most: number): number {
    return least * (most / least) ** (this.next() ** 3);
  }
}
