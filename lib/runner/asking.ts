/** What to ask of a queue. */
export interface AskedQueue {
  readonly queue: string;
  readonly limit: number;
  reserved: number;
}

/** What to ask the store for. */
export interface Asking {
  /** Askings are numbered in the order in which they leave. */
  readonly number: number;
  readonly queues: AskedQueue[];
  readonly limit: number;
  /** Slots that it may fill beyond those that it sets free itself: until it is answered they are nobody else's. */
  reserved: number;
  isAnswered: boolean;
}
