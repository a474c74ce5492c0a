export type QueueAction = 'pause' | 'resume';

export interface QueueActRequest {
  readonly action: QueueAction;
  readonly queue: string;
  /** How long a pause lasts; left out: until it is resumed. */
  readonly forMs?: number;
}
