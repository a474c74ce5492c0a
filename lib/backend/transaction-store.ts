import type { Lease, Settled, Settlement } from '../task/outcome.js';
import type { NewTask } from '../task/task-record.js';
import type { Added } from './answers.js';

/** What a store does inside a transaction of the application's, so that both come true together or not at all. */
export interface TransactionStore {
  /** Whether nothing else is done while one of them is open: no lease can be renewed then, but none can be lost either. */
  readonly isSingle: boolean;
  /**
   * Whether whoever asks runs inside a transaction that holds the store's only connection: what does not join it would
   * wait for itself.
   */
  mustJoin(): boolean;
  /**
   * Stores a group of tasks when the transaction commits, and rings the bell then. Rejects with UnsupportedTransactionError
   * what is no transaction that it can join.
   */
  add(transaction: unknown, group: readonly NewTask[]): Promise<Added[]>;
  /** Writes an outcome when the transaction commits. */
  settle(transaction: unknown, settlement: Settlement): Promise<Settled>;
  /**
   * Begins a transaction of the store's own, in which that lease will be settled, and commits it when `work` resolves. `hasInHand`:
   * nobody can change the task until it ends, not even to renew the lease. When `lost` aborts, nothing of it can count any
   * more: it is given up, even where its connection says nothing, and rejects with the signal's reason; a commit that is under
   * way is waited for as long as any other call.
   */
  begin<R>(
    lease: Lease,
    work: (transaction: unknown, hasInHand: boolean) => Promise<R>,
    lost?: AbortSignal,
  ): Promise<R>;
}
