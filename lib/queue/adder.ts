import type { Added, Backend } from '../backend/backend.js';
import type { Clock } from '../task/clock.js';
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
  private isOpen = false;

  constructor(
    private readonly backend: Pick<Backend, 'tasks' | 'bell'>,
    private readonly clock: Clock,
    private readonly timeoutMs: number,
  ) {}

  open(): void {
    this.isOpen = true;
  }

  close(): void {
    this.isOpen = false;
  }

  add(group: readonly NewTask[]): Promise<Added[]> {
    if (!this.isOpen)
      return Promise.reject(
        new QueueClosedError(`${group[0]?.job}: the application is not running: its job store is not open`),
      );
    return new Promise((resolve, reject) => {
      // Runs when the promise callbacks of this moment are through, so that all their calls are aboard.
      if (this.waiting.length === 0) process.nextTick(() => void this.send());
      this.waiting.push({ group, resolve, reject });
    });
  }

  private async send(): Promise<void> {
    const batch = this.waiting;
    this.waiting = [];
    const timer = this.clock.after(this.timeoutMs, () => {
      for (const { group, reject } of batch)
        reject(new EnqueueTimeoutError(group[0]!.job, group[0]!.id, this.timeoutMs));
    });
    try {
      const answers = await this.backend.tasks.add(batch.map(({ group }) => group));
      batch.forEach(({ resolve }, index) => resolve(answers[index]!));
      this.ring(batch, answers);
    } catch (error) {
      for (const { group, reject } of batch) reject(failure(group[0]!, error));
    } finally {
      timer.cancel();
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
}

function failure({ job, id }: NewTask, cause: unknown): Error {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new EnqueueFailedError(job, id, true, why, { cause });
}
