export type Labels = Readonly<Record<string, string>>;

/** One line of the text: a name, labels, a number. */
export interface Sample {
  /** Where it is not the family's own: that of a histogram's bucket, sum or count. */
  readonly name?: string;
  readonly labels: Labels;
  readonly value: number;
}

/** A metric with all its series. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samples: readonly Sample[];
}

/** Counts by labels. The number of series is as bounded as the labels are. */
export class Counter {
  private readonly series = new Map<string, { labels: Labels; value: number }>();

  add(labels: Labels): void {
    const name = Object.values(labels).join('\n');
    const one = this.series.get(name);
    if (one) one.value++;
    else this.series.set(name, { labels, value: 1 });
  }

  samples(): Sample[] {
    return Array.from(this.series.values(), ({ labels, value }) => ({ labels, value }));
  }
}

/** Counts values by labels and by the bounds that they do not exceed. */
export class Histogram {
  private readonly series = new Map<
    string,
    { labels: Labels; buckets: number[]; sum: number; count: number }
  >();

  constructor(
    private readonly name: string,
    /** Ascending. */
    private readonly bounds: readonly number[],
  ) {}

  record(value: number, labels: Labels): void {
    const name = Object.values(labels).join('\n');
    let one = this.series.get(name);
    if (!one) {
      one = { labels, buckets: this.bounds.map(() => 0), sum: 0, count: 0 };
      this.series.set(name, one);
    }
    one.sum += value;
    one.count++;
    const bucket = this.bounds.findIndex((bound) => value <= bound);
    if (bucket >= 0) one.buckets[bucket]!++;
  }

  /** Each bucket holds what those before it hold, too. */
  samples(): Sample[] {
    return Array.from(this.series.values()).flatMap(({ labels, buckets, sum, count }) => {
      let upTo = 0;
      const samples: Sample[] = buckets.map((inBucket, index) => ({
        name: `${this.name}_bucket`,
        labels: { ...labels, le: String(this.bounds[index]) },
        value: (upTo += inBucket),
      }));
      return [
        ...samples,
        { name: `${this.name}_bucket`, labels: { ...labels, le: '+Inf' }, value: count },
        { name: `${this.name}_sum`, labels, value: sum },
        { name: `${this.name}_count`, labels, value: count },
      ];
    });
  }
}
