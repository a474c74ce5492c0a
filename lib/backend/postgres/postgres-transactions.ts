import type { Lease, Settled, Settlement } from '../../task/outcome.js';
import type { NewTask } from '../../task/task-record.js';
import type { Added, BackendSettings } from '../backend.js';
import type { TransactionStore } from '../transaction-store.js';
import { isPlain } from './plain-task.js';
import { addedOf, type StoredAnswer } from './postgres-add-call.js';
import type { PostgresEngine } from './postgres-engine.js';
import type { Folding } from './postgres-folding.js';
import { answerOf, callOf } from './postgres-functions.js';
import type { KnownQueues } from './postgres-queues.js';
import { isCollision } from './postgres-refusal.js';
import { keepArgument, settlementArgument, taskArgument } from './postgres-records.js';
import { toText } from './postgres-text.js';
import { joinTransaction } from './transaction/join-transaction.js';
import type { SqlRunner } from './transaction/transaction-adapter.js';

/** Leases are renewed every few seconds: two in a row are not met by chance. */
const mostTries = 5;

/** The steps of a task as parts of the application's own transactions. */
export class PostgresTransactions implements TransactionStore {
  constructor(
    private readonly engine: PostgresEngine,
    private readonly queues: KnownQueues,
    private readonly folding: Folding,
    private readonly settings: BackendSettings,
    /** Whether anybody listens. */
    private readonly notifies: boolean,
  ) {}

  get isSingle(): boolean {
    return this.engine.isSingle;
  }

  mustJoin(): boolean {
    return this.engine.mustJoin();
  }

  async add(transaction: unknown, group: readonly NewTask[]): Promise<Added[]> {
    const run = joinTransaction(transaction);
    const queues = [...new Set(group.map(({ queue }) => queue))];
    // A new queue is told of beside the transaction, unless that has the only connection there is.
    if (this.engine.isSingle) await this.call(run, 'know_v1', queues);
    else await this.queues.know(queues);
    const argument = {
      notify: this.notifies,
      plain: group.every(isPlain) || undefined,
      tasks: group.map(taskArgument),
      sizes: [group.length],
    };
    const answer = (await this.call(run, 'add_v1', argument)) as StoredAnswer;
    // Beside the transaction, for what was committed before: it keeps no counter from anybody.
    this.folding.soon();
    return group.map((_, at) => (answer ? addedOf(answer[at]!) : { status: 'enqueued' }));
  }

  async settle(transaction: unknown, settlement: Settlement): Promise<Settled> {
    const letters = await this.call(joinTransaction(transaction), 'settle_v1', {
      waits: true,
      outcomes: [settlementArgument(settlement)],
      cancelledKeep: keepArgument(this.settings.cancelledKeepMs),
    });
    return letters === 's' ? 'settled' : 'lost';
  }

  /**
   * Where a transaction keeps its snapshot, a renewal that comes after it would make the completion fail, each time: so it takes the
   * task in hand first of all. A renewal of that very moment is waited for, and then it begins anew.
   */
  async begin<R>(
    { queue, id }: Lease,
    work: (transaction: unknown, hasInHand: boolean) => Promise<R>,
    lost?: AbortSignal,
  ): Promise<R> {
    for (let tries = 1; ; tries++) {
      let isHolding = false;
      try {
        return await this.engine.transact(async (session, transaction) => {
          if (!session.keepsSnapshot) return work(transaction, false);
          isHolding = true;
          await session.query(callOf(this.settings.prefix, 'hold_v1'), [toText([queue, id])]);
          isHolding = false;
          return work(transaction, true);
        }, lost);
      } catch (error) {
        if (!isHolding || tries === mostTries || !isCollision(error)) throw error;
      }
    }
  }

  private async call(run: SqlRunner, name: string, argument: unknown): Promise<unknown> {
    const [row] = await run(callOf(this.settings.prefix, name), [toText(argument)]);
    return answerOf(row);
  }
}
