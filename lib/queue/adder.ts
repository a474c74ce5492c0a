import type { Added, Backend } from '../backend/backend.js';
import type { Clock, ClockTimer } from '../task/clock.js';
import type { NewTask } from '../task/task-record.js';
import { EnqueueFailedError, EnqueueTimeoutError, QueueClosedError } from './errors.js';

interface Waiting {
  readonly group: readonly NewTask[];
  readonly resolve: (added: Added[]) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Brings tasks to the store: what is enqueued in the same moment travels together, and each call is answered only when
 * the store has answered for it.
 */
export class Adder {
  private waiting: Waiting[] = [];
  private readonly underWay = new Map<readonly Waiting[], ClockTimer>();
  private isOpen = false;

  constructor(
    private readonly backend: Pick<Backend, 'tasks' | 'bell'>,
    private readonly clock: Clock,
    private readonly timeoutMs: number,
  ) {}

  open(): void {
    this.isOpen = true;
  }

  /** Whoever still waits for the store gets an answer now. */
  close(): void {
    this.isOpen = false;
    for (const batch of this.underWay.keys()) this.refuse(batch, 'the application has closed');
  }

  checkOpen(job: string): void {
    if (!this.isOpen)
      throw new QueueClosedError(`${job}: the application is not running: its job store is not open`);
  }

  async add(group: readonly NewTask[]): Promise<Added[]> {
    this.checkOpen(group[0]!.job);
    return new Promise((resolve, reject) => {
      // Runs when the promise callbacks of this moment are through, so that all their calls are aboard.
      if (this.waiting.length === 0) process.nextTick(() => void this.send());
      this.waiting.push({ group, resolve, reject });
    });
  }

  private async send(): Promise<void> {
    const batch = this.waiting;
    this.waiting = [];
    this.underWay.set(
      batch,
      this.clock.after(this.timeoutMs, () => this.timeOut(batch)),
    );
    try {
      const answers = await this.backend.tasks.add(batch.map(({ group }) => group));
      batch.forEach(({ resolve }, index) => resolve(answers[index]!));
      this.ring(batch, answers);
    } catch (error) {
      this.refuse(batch, error instanceof Error ? error.message : String(error), { cause: error });
    } finally {
      this.over(batch);
    }
  }

  private ring(batch: readonly Waiting[], answers: readonly Added[][]): void {
    const queues = new Set<string>();
    batch.forEach(({ group }, index) =>
      group.forEach(({ queue }, at) => {
        const { status } = answers[index]![at]!;
        if (status === 'enqueued' || status === 'replaced') queues.add(queue);
      }),
    );
    for (const queue of queues) this.backend.bell.ring(queue);
  }

  private timeOut(batch: readonly Waiting[]): void {
    for (const { group, reject } of batch)
      reject(new EnqueueTimeoutError(group[0]!.job, group[0]!.id, this.timeoutMs));
    this.over(batch);
  }

  private refuse(batch: readonly Waiting[], why: string, options?: ErrorOptions): void {
    for (const { group, reject } of batch)
      reject(new EnqueueFailedError(group[0]!.job, group[0]!.id, true, why, options));
    this.over(batch);
  }

  private over(batch: readonly Waiting[]): void {
    this.underWay.get(batch)?.cancel();
    this.underWay.delete(batch);
  }
}
