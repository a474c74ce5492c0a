import type { TransactionStore } from '../backend/transaction-store.js';
import type { Added } from '../backend/backend.js';
import type { Lease, Outcome, Settlement } from '../task/outcome.js';
import type { NewTask, TaskRef } from '../task/task-record.js';
import { TestJobsError } from './errors.js';
import type { TestingOptions } from './testing-options.js';

/**
 * Takes whatever an application calls its transaction. A test may roll it back in any case, so that a task is there at once; and
 * nobody could tell when it commits, so that a task which is completed in it is done when its handler returns.
 */
export class TestTransactions implements TransactionStore {
  readonly isSingle = false;
  private readonly completed = new Map<string, Outcome>();

  constructor(
    private readonly addNow: (group: readonly NewTask[]) => Promise<Added[]>,
    private readonly beginOne: TestingOptions['transaction'],
  ) {}

  mustJoin(): boolean {
    return false;
  }

  add(_transaction: unknown, group: readonly NewTask[]): Promise<Added[]> {
    return this.addNow(group);
  }

  async settle(_transaction: unknown, settlement: Settlement): Promise<'settled'> {
    this.completed.set(nameOf(settlement), settlement.outcome);
    return 'settled';
  }

  async begin<R>(_lease: Lease, work: (transaction: unknown, hasInHand: boolean) => Promise<R>): Promise<R> {
    if (!this.beginOne)
      throw new TestJobsError(
        'task.transaction() needs a database: say how to begin a transaction by the option `transaction` of JobsTestingModule.forRoot',
      );
    return this.beginOne((transaction) => work(transaction, false));
  }

  /** What a success is stored as: the transaction's word counts, not what the handler returned after it. */
  outcomeOf(settlement: Settlement): Settlement {
    const name = nameOf(settlement);
    const outcome = this.completed.get(name);
    this.completed.delete(name);
    return outcome && settlement.outcome.type === 'succeeded' ? { ...settlement, outcome } : settlement;
  }
}

function nameOf({ queue, id }: TaskRef): string {
  return `${queue}\n${id}`;
}
