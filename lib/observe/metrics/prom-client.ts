import type { Family, Labels } from './series.js';

/** What is used of a registry of `prom-client`, by shape: the package is no dependency of this one. */
export interface PromClientRegistry {
  registerMetric(metric: never): void;
}

/** A metric as a registry of `prom-client` asks for it. */
export class PromClientMetric {
  readonly type: Family['type'];
  readonly help: string;
  /** How a cluster of Node's joins the values of its workers. */
  readonly aggregator: 'sum' | 'max';

  constructor(
    /** A registry in OpenMetrics format takes `_total` off it. */
    public name: string,
    { type, help }: Family,
    private readonly family: () => Promise<Family>,
  ) {
    this.type = type;
    this.help = help;
    // Each worker counts its own tasks, but all see the same queues.
    this.aggregator = /_(queue|store)_/.test(name) ? 'max' : 'sum';
  }

  async get(): Promise<object> {
    const { name, help, type, aggregator } = this;
    const { samples } = await this.family();
    const values = samples.map((sample): { metricName?: string; labels: Labels; value: number } => ({
      metricName: sample.name,
      labels: { ...sample.labels },
      value: sample.value,
    }));
    return { name, help, type, aggregator, values };
  }

  /** Counters go on: they are the application's, not the registry's. */
  reset(): void {
    // What has happened cannot be taken back.
  }
}
