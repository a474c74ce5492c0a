import type { TaskEvent, TaskEventType } from '../task/task-event.js';
import { isEventType } from './job-event.js';

/** What processes say to each other about events. */
export interface EventMessage {
  /** Who says it. */
  readonly from: string;
  readonly events?: readonly TaskEvent[];
  /** How many events the sender has left out since it last said so. */
  readonly dropped?: number;
  /** What the sender wants to hear of from now on. */
  readonly wants?: readonly TaskEventType[];
  /** Whether the sender wants to know what the others want. */
  readonly asks?: boolean;
}

/** Most bytes of a text: the wire carries 4,000. */
const mostBytes = 3_900;
const longestMessage = 500;
const longestResult = 1_000;

/** An event as text, without what would make it long; undefined where it is too long all the same. */
export function eventText(event: TaskEvent): string | undefined {
  const text = JSON.stringify(shortened(event));
  return Buffer.byteLength(text) > mostBytes / 2 ? undefined : text;
}

/** As many texts of events together as the wire carries at once. */
export function messagesOf(from: string, texts: readonly string[]): string[] {
  const head = JSON.stringify({ from, events: [] }).slice(0, -2);
  const messages: string[] = [];
  let room = 0;
  for (const text of texts) {
    const bytes = Buffer.byteLength(text) + 1;
    if (bytes > room) {
      messages.push(head + text);
      room = mostBytes - Buffer.byteLength(head) - bytes;
    } else {
      messages.push(`${messages.pop()},${text}`);
      room -= bytes;
    }
  }
  return messages.map((message) => `${message}]}`);
}

/** Undefined where the text is none that this version knows: others travel on the same wire. */
export function readMessage(text: string): EventMessage | undefined {
  if (!text.startsWith('{"from":')) return undefined;
  try {
    const { from, events, dropped, wants, asks } = JSON.parse(text) as Record<keyof EventMessage, unknown>;
    if (typeof from !== 'string') return undefined;
    return {
      from,
      events: Array.isArray(events) ? events.filter(isEvent) : undefined,
      dropped: typeof dropped === 'number' ? dropped : undefined,
      wants: Array.isArray(wants) ? wants.filter(isEventType) : undefined,
      asks: asks === true,
    };
  } catch {
    return undefined;
  }
}

/** Whoever wants a stack or a long result finds it in the catalog. */
function shortened(event: TaskEvent): TaskEvent {
  if ('error' in event) {
    const { name, message } = event.error;
    return { ...event, error: { name, message: message.slice(0, longestMessage) } };
  }
  if (event.type === 'succeeded' && (event.result?.length ?? 0) > longestResult)
    return { ...event, result: undefined };
  return event;
}

function isEvent(value: unknown): value is TaskEvent {
  const { type, queue, id, job } = (value ?? {}) as Record<string, unknown>;
  return isEventType(type) && [queue, id, job].every((name) => typeof name === 'string');
}
