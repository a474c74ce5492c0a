import type { Settled, Settlement } from '../../task/outcome.js';
import type { NewTask } from '../../task/task-record.js';
import type { Added, BackendSettings } from '../backend.js';
import type { TransactionStore } from '../transaction-store.js';
import { addedOf, type StoredAnswer } from './postgres-add-call.js';
import type { PostgresEngine } from './postgres-engine.js';
import type { Folding } from './postgres-folding.js';
import { answerOf, callOf } from './postgres-functions.js';
import type { KnownQueues } from './postgres-queues.js';
import { keepArgument, settlementArgument, taskArgument } from './postgres-records.js';
import { toText } from './postgres-text.js';
import { joinTransaction } from './transaction/join-transaction.js';
import type { SqlRunner } from './transaction/transaction-adapter.js';

/** The steps of a task as parts of the application's own transactions. */
export class PostgresTransactions implements TransactionStore {
  constructor(
    private readonly engine: PostgresEngine,
    private readonly queues: KnownQueues,
    private readonly folding: Folding,
    private readonly settings: BackendSettings,
  ) {}

  mustJoin(): boolean {
    return this.engine.mustJoin();
  }

  async add(transaction: unknown, group: readonly NewTask[]): Promise<Added[]> {
    const run = joinTransaction(transaction);
    const queues = [...new Set(group.map(({ queue }) => queue))];
    // A new queue is told of beside the transaction, unless that has the only connection there is.
    if (this.engine.isSingle) await this.call(run, 'know_v1', queues);
    else await this.queues.know(queues);
    const argument = { notify: true, tasks: group.map(taskArgument), sizes: [group.length] };
    const answer = (await this.call(run, 'add_v1', argument)) as StoredAnswer;
    // Beside the transaction, for what was committed before: it keeps no counter from anybody.
    this.folding.soon();
    return group.map((_, at) => (answer ? addedOf(answer[at]!) : { status: 'enqueued' }));
  }

  async settle(transaction: unknown, settlement: Settlement): Promise<Settled> {
    const letters = await this.call(joinTransaction(transaction), 'settle_v1', {
      outcomes: [settlementArgument(settlement)],
      cancelledKeep: keepArgument(this.settings.cancelledKeepMs),
    });
    return letters === 's' ? 'settled' : 'lost';
  }

  begin<R>(work: (transaction: unknown) => Promise<R>, lost?: AbortSignal): Promise<R> {
    return this.engine.transact((_, transaction) => work(transaction), lost);
  }

  private async call(run: SqlRunner, name: string, argument: unknown): Promise<unknown> {
    const [row] = await run(callOf(this.settings.prefix, name), [toText(argument)]);
    return answerOf(row);
  }
}
