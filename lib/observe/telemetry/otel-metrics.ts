import type { TaskEvents } from '../../job/task-events.js';
import type { TaskEvent } from '../../task/task-event.js';
import { LabelBounds } from '../metrics/label-bounds.js';
import { mostQueues, type QueueGlances } from '../metrics/queue-glances.js';
import { mostJobs, secondsBuckets } from '../metrics/task-metrics.js';
import { RunningTasks } from '../metrics/running-tasks.js';
import type { Harmless } from './harmless.js';
import { messagingAttributes, scopeName } from './messaging.js';
import type { OtelApi, OtelMeter, OtelObserve } from './otel-api.js';

/** Measures what happens to tasks in this process, and looks at the queues when somebody collects. */
export class OtelMetrics {
  private readonly running = new RunningTasks();
  private readonly bounds = new LabelBounds(mostJobs, mostQueues);
  private stopAll: () => void = () => undefined;

  constructor(
    private readonly events: TaskEvents,
    private readonly glances: QueueGlances,
    private readonly otel: OtelApi,
    private readonly harmless: Harmless,
  ) {}

  /** Does nothing where the application has registered no meters by now: then nobody would collect them. */
  start(): void {
    this.harmless.call(() => this.begin());
  }

  stop(): void {
    this.harmless.call(() => this.stopAll());
  }

  private begin(): void {
    const meter = this.otel.metrics.getMeter(scopeName);
    if (meter === this.otel.createNoopMeter()) return;
    const stopMeasuring = this.measure(meter);
    const stopObserving = this.observe(meter);
    this.stopAll = () => {
      stopMeasuring();
      stopObserving();
    };
  }

  private measure(meter: OtelMeter): () => void {
    const advice = { explicitBucketBoundaries: [...secondsBuckets] };
    const duration = meter.createHistogram('messaging.process.duration', {
      description: 'How long attempts took that succeeded or failed',
      unit: 's',
      advice,
    });
    const wait = meter.createHistogram('nestjs_jobs.task.wait', {
      description: 'From the time a task was due to its start',
      unit: 's',
      advice,
    });
    const outcomes = meter.createCounter('nestjs_jobs.task.outcomes', {
      description: 'What attempts ended in',
      unit: '{attempt}',
    });
    const sent = meter.createCounter('messaging.client.sent.messages', {
      description: 'Tasks that were enqueued',
      unit: '{task}',
    });
    const measure = (event: TaskEvent) => {
      const job = this.bounds.job(event.job);
      const queue = this.bounds.queue(event.queue);
      this.running.hear(event, job, queue);
      if (event.type === 'enqueued') return sent.add(1, messagingAttributes('enqueue', job, queue));
      const attributes = messagingAttributes('process', job, queue);
      if (event.type === 'started') return wait.record(event.waitMs / 1_000, attributes);
      outcomes.add(1, { ...attributes, 'nestjs_jobs.outcome': event.type });
      if (event.type === 'succeeded') duration.record(event.runMs / 1_000, attributes);
      if (event.type === 'failed')
        duration.record(event.runMs / 1_000, { ...attributes, 'error.type': event.error.name });
    };
    return this.events.listen((event) => this.harmless.call(() => measure(event)));
  }

  private observe(meter: OtelMeter): () => void {
    const running = meter.createObservableGauge('nestjs_jobs.task.running', {
      description: 'Tasks that run in this process',
      unit: '{task}',
    });
    const tasks = meter.createObservableGauge('nestjs_jobs.queue.tasks', {
      description: 'Tasks of a queue by state, in the whole store',
      unit: '{task}',
    });
    const depths = meter.createObservableGauge('nestjs_jobs.queue.depth', {
      description: 'Tasks of a queue that could run now: those that wait, and scheduled ones that are due',
      unit: '{task}',
    });
    const oldest = meter.createObservableGauge('nestjs_jobs.queue.oldest_waiting', {
      description: 'How long the task that is due longest has been waiting; 0 where none waits',
      unit: 's',
    });
    const look: OtelObserve = async (result) => {
      for (const { count, job, queue } of this.running.all())
        result.observe(running, count, messagingAttributes('process', job, queue));
      for (const { queue, counts, depth, oldestWaitingMs = 0 } of (await this.glances.look()) ?? []) {
        const ofQueue = { 'messaging.system': 'nestjs_jobs', 'messaging.destination.name': queue };
        result.observe(depths, depth, ofQueue);
        result.observe(oldest, oldestWaitingMs / 1_000, ofQueue);
        for (const [state, count] of Object.entries(counts))
          result.observe(tasks, count, { ...ofQueue, 'nestjs_jobs.state': state });
      }
    };
    const observables = [running, tasks, depths, oldest];
    meter.addBatchObservableCallback(look, observables);
    return () => meter.removeBatchObservableCallback(look, observables);
  }
}
