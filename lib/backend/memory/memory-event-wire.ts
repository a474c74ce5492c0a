import type { EventWire } from '../event-wire.js';

const mostBytes = 4_000;

/** Carries texts within the process, those of one moment together. */
export class MemoryEventWire implements EventWire {
  private readonly listeners = new Set<{ readonly heard: (text: string) => void }>();
  private texts: string[] = [];

  send(text: string): void {
    if (this.listeners.size === 0 || Buffer.byteLength(text) > mostBytes) return;
    // Whoever sends goes on first. By a promise: fake timers of a test may hold back `queueMicrotask`.
    if (this.texts.push(text) === 1) void Promise.resolve().then(() => this.carry());
  }

  async listen(heard: (text: string) => void): Promise<() => void> {
    const listener = { heard };
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  private carry(): void {
    const texts = this.texts;
    this.texts = [];
    for (const text of texts)
      for (const { heard } of this.listeners)
        try {
          heard(text);
        } catch {
          // A listener's trouble is neither the sender's nor the others'.
        }
  }
}
