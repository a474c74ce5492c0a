import type { Clock } from '../task/clock.js';
import type { EventHub } from './event-hub.js';
import type { EventRelay } from './event-relay.js';
import type { TaskListeners } from './task-listeners.js';
import type { OtelMetrics } from './telemetry/otel-metrics.js';

/** Listeners that are still at work when the last task has ended are waited for as long. */
const longestFarewellMs = 5_000;

/** Begins and ends, with the application, all that looks on. */
export class Observation {
  constructor(
    private readonly hub: EventHub,
    private readonly listeners: TaskListeners,
    /** Where events of other processes are wanted. */
    private readonly relay: EventRelay | undefined,
    private readonly metrics: OtelMetrics | undefined,
    private readonly clock: Clock,
  ) {}

  /** Before the store is open: what is wrong with a listener stops the start. */
  explore(): void {
    this.listeners.explore();
  }

  /** The store is open. */
  begin(): void {
    this.relay?.start();
    this.metrics?.start();
  }

  /** Nothing runs here any more; listeners may still need what the application is about to destroy. */
  async farewell(): Promise<void> {
    let timer: ReturnType<Clock['after']> | undefined;
    const late = new Promise<void>((resolve) => {
      timer = this.clock.after(longestFarewellMs, resolve);
    });
    await Promise.race([this.listeners.ended(), late]);
    timer?.cancel();
  }

  /** Before the store is closed. */
  end(): void {
    this.metrics?.stop();
    this.relay?.stop();
    this.hub.close();
  }
}
