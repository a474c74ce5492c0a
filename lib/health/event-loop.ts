import { performance } from 'node:perf_hooks';
import { realTimeout } from '../task/turns.js';

/** How busy the event loop of this process is, asked for when somebody wants to know: nothing runs in between. */
export class EventLoop {
  private last = performance.eventLoopUtilization();

  async measure(): Promise<{ delayMs: number; utilization: number }> {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, this.last);
    this.last = now;
    const askedAt = performance.now();
    await new Promise((resolve) => realTimeout(resolve, 1));
    const delayMs = Math.max(Math.round(performance.now() - askedAt) - 1, 0);
    return { delayMs, utilization: Math.round(utilization * 1_000) / 1_000 };
  }
}
