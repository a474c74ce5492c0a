import { setTimeout as pause } from 'node:timers/promises';
import type { Line, Stage } from './stage.js';
import { Window, type Passed } from './window.js';

/** Runs many queues in which nothing happens, and answers what that took from a while after the start on. */
export async function rest(
  { system, openProbe }: Stage,
  { url, queues, settleMs }: { url: string; queues: string[]; settleMs: number },
  line: Line,
): Promise<Passed> {
  const window = new Window(await openProbe(url));
  const consumer = await system.consume({ url, queues, concurrency: 10 }, () => undefined);
  await pause(settleMs);
  window.begin();
  line.ready();
  await line.enough;
  window.end();
  const passed = await window.passed();
  await consumer.close();
  return passed;
}
