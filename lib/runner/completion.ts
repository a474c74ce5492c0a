import type { Backend } from '../backend/backend.js';
import { TransactionNotSupportedError } from '../backend/errors.js';
import type { TransactionStore } from '../backend/transaction-store.js';
import { LeaseLostError } from '../task/errors.js';
import type { Outcome } from '../task/outcome.js';
import type { TaskCompletion } from '../task/task.js';
import type { Attempt } from './attempt.js';

/** What a success is stored as, with what the handler's transaction gave as its result. */
type SuccessOf = (attempt: Attempt, result: unknown) => Outcome;

/** Lets a handler complete its task in a transaction of the application's: both are true together, or neither is. */
export class Completion implements TaskCompletion {
  constructor(
    private readonly backend: Backend,
    private readonly attempt: Attempt,
    private readonly successOf: SuccessOf,
  ) {}

  async transaction<R>(work: (transaction: unknown) => R | Promise<R>): Promise<R> {
    const store = this.store();
    const { attempt } = this;
    const run = async (transaction: unknown, hasInHand: boolean) => {
      attempt.isInHand = hasInHand;
      const made = await work(transaction);
      await this.settle(store, transaction, made);
      return made;
    };
    try {
      const isGivenUp = store.isSingle ? attempt.over : attempt.lost;
      const result = await store.begin(attempt.claimed, run, isGivenUp);
      attempt.isCommitted = true;
      return result;
    } finally {
      attempt.isInHand = false;
    }
  }

  async complete(transaction: unknown, result?: unknown): Promise<void> {
    await this.settle(this.store(), transaction, result);
  }

  /** From here on only the database knows whether the task is done, until the transaction has ended. */
  private async settle(store: TransactionStore, transaction: unknown, result: unknown): Promise<void> {
    const { queue, id, epoch, job } = this.attempt.claimed;
    this.attempt.isCompleting = true;
    const outcome = this.successOf(this.attempt, result);
    const notes = this.attempt.notesWith(outcome);
    const settled = await store.settle(transaction, { queue, id, epoch, outcome, notes });
    if (settled === 'settled') {
      this.attempt.isInHand = true;
      return;
    }
    // Nothing of the transaction may stand: whoever has the task now does its work.
    const why = 'its lease was lost, or it is completed already; the transaction must be rolled back';
    throw new LeaseLostError(`${job}: task ${id} is no longer this run's: ${why}`);
  }

  private store(): TransactionStore {
    const { transactions, name } = this.backend;
    if (!transactions) throw new TransactionNotSupportedError(this.attempt.claimed.job, name);
    return transactions;
  }
}
