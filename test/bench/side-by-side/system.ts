/** What each task carries: 100 bytes as JSON. */
export interface Payload {
  /** A moment of whoever made the task, where one is measured from. */
  readonly at: string;
  readonly text: string;
}

const payloadBytes = 100;
const emptyBytes = JSON.stringify({ at: '', text: '' }).length;

export function payload(at = ''): Payload {
  return { at, text: 'x'.repeat(payloadBytes - emptyBytes - at.length) };
}

/** The side that enqueues. */
export interface Producer {
  add(params: Payload): Promise<unknown>;
  /** A task with a unique lock of its own; ours alone has this. */
  addUnique?(params: Payload): Promise<unknown>;
  /** All in one call; each due at its moment where moments are given. */
  addBulk(params: readonly Payload[], dueAt?: readonly number[]): Promise<unknown>;
  close(): Promise<unknown>;
}

/** The side that runs tasks, from when it is made until it is closed. */
export interface Consumer {
  close(): Promise<unknown>;
}

export interface Consumption {
  readonly url: string;
  readonly queues: readonly string[];
  /** Tasks at once, in all queues together. */
  readonly concurrency: number;
  /** Whether tasks with a due time are to come, for those that do not look for them unasked. */
  readonly delays?: boolean;
}

/** The part of each queue, for those that know no bound over all of them. */
export function perQueue({ concurrency, queues }: Consumption): number {
  return Math.ceil(concurrency / queues.length);
}

/** One of the libraries under measure, set up as its manual recommends for this work. */
export interface System {
  produce(url: string, queue: string): Promise<Producer>;
  consume(request: Consumption, handle: (params: Payload) => void): Promise<Consumer>;
}

/** How this library is called in the tables; what is asked is asked of it. */
export const ours = 'nestjs-jobs';

/** The least that a client in batches can do on that store; it is no library, and does not do what they do. */
export const raw = 'raw limit';

/** Ours again, with what a job may have beside a handler. */
export const variants = {
  params: 'with a params class',
  interceptor: 'with an interceptor',
  unique: 'with a unique lock',
} as const;
