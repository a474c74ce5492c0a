import type { Bell } from '../backend.js';

type Wake = (queue: string, cancelledId?: string) => void;

/** Rings within the process, at once; nothing can be lost. */
export class MemoryBell implements Bell {
  readonly lossless = true;
  private readonly listeners = new Map<string, Set<Wake>>();
  private readonly scheduleListeners = new Map<string, Set<Wake>>();

  ring(queue: string, cancelledId?: string): void {
    wakeAll(this.listeners.get(queue), queue, cancelledId);
  }

  /** Tells of a step that may have brought a slot nearer. */
  ringForSchedules(queue: string): void {
    wakeAll(this.scheduleListeners.get(queue), queue);
  }

  async listen(queues: readonly string[], wake: Wake): Promise<() => void> {
    return join(this.listeners, queues, wake);
  }

  async listenToSchedules(queues: readonly string[], wake: (queue: string) => void): Promise<() => void> {
    return join(this.scheduleListeners, queues, wake);
  }
}

function join(listeners: Map<string, Set<Wake>>, queues: readonly string[], wake: Wake): () => void {
  for (const queue of queues) {
    const wakes = listeners.get(queue);
    if (wakes) wakes.add(wake);
    else listeners.set(queue, new Set([wake]));
  }
  return () => {
    for (const queue of queues) listeners.get(queue)?.delete(wake);
  };
}

function wakeAll(wakes: ReadonlySet<Wake> | undefined, queue: string, cancelledId?: string): void {
  for (const wake of wakes ?? []) {
    try {
      wake(queue, cancelledId);
    } catch {
      // Whoever rings has done its work; a listener's trouble is not its own.
    }
  }
}
