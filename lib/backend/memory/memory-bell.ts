import type { Bell } from '../backend.js';

type Wake = (queue: string, cancelledId?: string) => void;

/** Rings within the process, at once; nothing can be lost. */
export class MemoryBell implements Bell {
  readonly lossless = true;
  private readonly listeners = new Map<string, Set<Wake>>();

  ring(queue: string, cancelledId?: string): void {
    for (const wake of this.listeners.get(queue) ?? []) {
      try {
        wake(queue, cancelledId);
      } catch {
        // Whoever rings has done its work; a listener's trouble is not its own.
      }
    }
  }

  async listen(queues: readonly string[], wake: Wake): Promise<() => void> {
    for (const queue of queues) {
      const wakes = this.listeners.get(queue);
      if (wakes) wakes.add(wake);
      else this.listeners.set(queue, new Set([wake]));
    }
    return () => {
      for (const queue of queues) this.listeners.get(queue)?.delete(wake);
    };
  }
}
