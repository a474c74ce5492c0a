/** Remembers what was made for the latest keys; what has fallen out is made again. */
export class BoundedMemo<K, V> {
  private readonly made = new Map<K, V>();

  constructor(
    private readonly limit: number,
    private readonly make: (key: K) => V,
  ) {}

  get(key: K): V {
    const known = this.made.get(key);
    if (known !== undefined) return known;
    const value = this.make(key);
    if (this.made.size >= this.limit) this.made.delete(this.made.keys().next().value as K);
    this.made.set(key, value);
    return value;
  }
}
