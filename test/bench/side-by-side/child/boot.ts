import type { Place, Stage } from './stage.js';

/** Milliseconds since the process began. */
export interface Booted {
  /** Until the application says that it is up. */
  readonly upMs: number;
  /** Until the handler has the task that waited for it. */
  readonly firstRunMs: number;
}

/** Starts an application from nothing, where a task waits. */
export async function boot({ system }: Stage, { url, queue }: Place): Promise<Booted> {
  let tell: (at: number) => void;
  const firstRun = new Promise<number>((resolve) => (tell = resolve));
  const consumer = await system.consume({ url, queues: [queue], concurrency: 10 }, () =>
    tell(performance.now()),
  );
  const upMs = performance.now();
  const firstRunMs = await firstRun;
  await consumer.close();
  return { upMs, firstRunMs };
}
