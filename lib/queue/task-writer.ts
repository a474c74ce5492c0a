import type { Added, Backend } from '../backend/backend.js';
import { TransactionNotSupportedError, WouldWaitForItselfError } from '../backend/errors.js';
import { JobsError } from '../task/errors.js';
import { lineOf } from '../task/stored-error.js';
import type { NewTask } from '../task/task-record.js';
import type { Adder } from './adder.js';
import { EnqueueFailedError } from './errors.js';

/** Stores what belongs together: by itself, or as part of the caller's transaction. */
export class TaskWriter {
  constructor(
    private readonly backend: Backend,
    private readonly adder: Adder,
  ) {}

  checkOpen(job: string): void {
    this.adder.checkOpen(job);
  }

  /** Never outside the transaction that was given: a store that cannot join it says so. */
  write(group: readonly NewTask[], transaction: unknown): Promise<Added[]> {
    if (transaction !== undefined) return this.writeWithin(group, transaction);
    this.checkCanWait(group[0]!.job);
    return this.adder.add(group);
  }

  /** A call that could only be answered when the transaction around it has ended is refused at once. */
  checkCanWait(job: string): void {
    if (this.backend.transactions?.mustJoin()) throw new WouldWaitForItselfError(job, this.backend.name);
  }

  private async writeWithin(group: readonly NewTask[], transaction: unknown): Promise<Added[]> {
    const { job, id } = group[0]!;
    const { transactions } = this.backend;
    if (!transactions) throw new TransactionNotSupportedError(job, this.backend.name);
    try {
      return await transactions.add(transaction, group);
    } catch (error) {
      if (error instanceof JobsError && !('sent' in error)) throw error;
      // Whatever became of the statement, the caller's transaction decides.
      throw new EnqueueFailedError(job, id, false, lineOf(error), { cause: error });
    }
  }
}
