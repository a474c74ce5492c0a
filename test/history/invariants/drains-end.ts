import type { HistoryEvent } from '../history-event.js';
import type { Invariant } from '../violation.js';

/** A process that is asked to stop is down in time, begins nothing more, and leaves nothing behind. */
export const drainsEnd: Invariant = (history, complain) => {
  const stopping = new Map<string, HistoryEvent & { type: 'stopping' }>();
  const stopsAt = new Map<string, number>();
  const down = new Set<string>();
  for (const event of history) {
    if (event.type === 'stopping') stopping.set(event.process, event);
    if (event.type === 'stopping') stopsAt.set(event.process, event.at);
    if (event.type === 'claimed' && (event.sentAt ?? 0) > (stopsAt.get(event.process) ?? Infinity))
      complain(event, `${event.process} asked for task ${event.id}, though it was to stop`);
    if (event.type === 'started' && down.has(event.process))
      complain(event, `${event.process} runs task ${event.id}, though it is down`);
    if (event.type === 'died') stopping.delete(event.process);
    if (event.type !== 'down') continue;
    down.add(event.process);
    const { at, limitMs } = stopping.get(event.process) ?? { at: -Infinity, limitMs: Infinity };
    stopping.delete(event.process);
    const tookMs = event.at - at;
    if (tookMs > limitMs)
      complain(event, `${event.process} took ${tookMs} ms to stop, ${limitMs} were allowed`);
    if (event.timers > 0) complain(event, `${event.process} left ${event.timers} timers behind`);
    if (event.calls) complain(event, `${event.process} left ${event.calls} calls behind`);
  }
  for (const { process } of stopping.values()) complain(undefined, `${process} never stopped`);
};
