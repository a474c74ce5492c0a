import { Injectable } from '@nestjs/common';
import type { TaskEvents } from '../../job/task-events.js';
import { exposition, expositionType } from './exposition.js';
import { PromClientMetric, type PromClientRegistry } from './prom-client.js';
import type { QueueGlances } from './queue-glances.js';
import { queueFamilies } from './queue-metrics.js';
import type { Family } from './series.js';
import { TaskMetrics } from './task-metrics.js';

/** What metrics are made from. */
export interface MetricsSources {
  readonly events: TaskEvents;
  readonly glances: QueueGlances;
}

/** Metrics of tasks and queues for Prometheus: as text, or through a registry of `prom-client`. */
@Injectable()
export class JobsMetrics {
  /** The content type of `text`. */
  readonly contentType = expositionType;
  private readonly tasks: TaskMetrics;
  private readonly glances: QueueGlances;
  private readonly stopHearing: () => void;
  private readonly registered = new WeakSet<PromClientRegistry>();

  /** @internal */
  constructor({ events, glances }: MetricsSources, buckets: readonly number[]) {
    const tasks = new TaskMetrics(buckets);
    this.tasks = tasks;
    this.glances = glances;
    this.stopHearing = events.listen((event) => tasks.hear(event));
  }

  /** All metrics in the text format of Prometheus. Never rejects: without the store, those of queues are missing. */
  async text(): Promise<string> {
    return exposition([...this.tasks.families(), ...(await this.ofQueues())]);
  }

  /** Has a registry of `prom-client` show the same metrics beside its own. */
  register(registry: PromClientRegistry): void {
    if (this.registered.has(registry)) return;
    this.registered.add(registry);
    const metrics = [
      ...this.tasks.families().map((family) => this.metric(family, async () => this.tasks.families())),
      ...queueFamilies(undefined).map((family) => this.metric(family, () => this.ofQueues())),
    ];
    for (const metric of metrics) registry.registerMetric(metric as never);
  }

  /** @internal */
  onApplicationShutdown(): void {
    this.stopHearing();
  }

  private async ofQueues(): Promise<Family[]> {
    return queueFamilies(await this.glances.look());
  }

  private metric(family: Family, all: () => Promise<readonly Family[]>): PromClientMetric {
    const { name } = family;
    return new PromClientMetric(name, family, async () => (await all()).find((one) => one.name === name)!);
  }
}
