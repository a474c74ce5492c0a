import type {
  Added,
  Backend,
  Bell,
  Claim,
  ClaimedTask,
  ClaimRequest,
  TaskStore,
} from '../backend/backend.js';
import type { CatalogStore } from '../backend/catalog-store.js';
import type { ScheduleStore } from '../backend/schedule-store.js';
import type { Clock } from '../task/clock.js';
import type { Outcome, Settled, Settlement } from '../task/outcome.js';
import type { NewTask, TaskRef } from '../task/task-record.js';
import type { Ledger } from './ledger.js';
import { over } from './over.js';
import { realNow } from './real-time.js';
import { TestTransactions } from './test-transactions.js';
import type { TestingOptions } from './testing-options.js';

/** What may happen by itself. */
export interface Doors {
  readonly tasks: boolean;
  readonly schedules: boolean;
}

/** Who is told what is done to the store. */
export interface StoreWatch {
  /** Something is put into this queue. */
  used(queue: string): Promise<void>;
  /** Tasks may have ended without a run. */
  ended(): void;
}

export const allShut: Doors = { tasks: false, schedules: false };

/**
 * The embedded store behind doors: while they are shut, a runner finds nothing to claim and nothing to fire. Counts what goes
 * through them.
 */
export class TestStore {
  /** What is claimed and not settled. */
  readonly running = new Map<string, ClaimedTask>();
  /** How often each job was run. */
  readonly runsOf = new Map<string, number>();
  readonly outcomes = new Map<Outcome['type'], number>();
  runs = 0;
  /** Changes with all that is asked and done. */
  activity = 0;
  /** When something last got further, in real time. */
  progressAt = realNow();
  isClosed = false;
  private readonly wakes = new Set<() => void>();
  private readonly transactions: TestTransactions;

  constructor(
    readonly inner: Backend,
    private readonly ledger: Ledger,
    private readonly clock: Clock,
    private doors: Doors,
    transaction: TestingOptions['transaction'],
    private readonly watch: StoreWatch,
  ) {
    this.transactions = new TestTransactions((group) => this.addOne(group), transaction);
  }

  /** As the application's catalog works with it. */
  get catalog(): CatalogStore {
    const { catalog } = this.inner;
    const told = <T>(acting: Promise<T>) => acting.finally(() => this.watch.ended());
    return over<CatalogStore>(catalog, {
      cancel: (refs) => told(catalog.cancel(refs)),
      remove: (refs) => told(catalog.remove(refs)),
    });
  }

  /** What the application works with. */
  get backend(): Backend {
    const { inner, transactions, catalog } = this;
    return over(inner, {
      catalog,
      transactions,
      tasks: over<TaskStore>(inner.tasks, {
        add: (groups) => this.add(groups),
        claim: (request) => this.claim(request),
        settle: (settlements) => this.settle(settlements),
      }),
      schedules: over<ScheduleStore>(inner.schedules, {
        put: async (schedule, when) => {
          this.moved();
          await this.watch.used(schedule.queue);
          const status = await inner.schedules.put(schedule, when);
          const isNew = status === 'stored' || status === 'replaced' || when === 'replace';
          if (isNew && !schedule.isDeclared) await this.ledger.put(schedule, this.clock.now());
          return status;
        },
        due: async (queues) => {
          this.activity++;
          return this.doors.schedules ? inner.schedules.due(queues) : { schedules: [], nextInMs: Infinity };
        },
        advance: async (steps) => {
          this.moved();
          const answers = await inner.schedules.advance(steps);
          for (const [index, { task }] of steps.entries()) {
            const answer = answers[index]!;
            if (task && 'added' in answer && answer.added)
              await this.ledger.add(task, answer.added, this.clock.now());
          }
          return answers;
        },
      }),
      bell: over<Bell>(inner.bell, {
        listen: (queues, wake) => this.listen(queues, wake, () => inner.bell.listen(queues, wake)),
        listenToSchedules: (queues, wake) =>
          this.listen(queues, wake, () => inner.bell.listenToSchedules(queues, wake)),
      }),
      close: async () => {
        this.isClosed = true;
        await inner.close();
      },
    });
  }

  /** Whoever sleeps looks again. */
  open(doors: Doors): void {
    this.doors = doors;
    for (const wake of this.wakes) wake();
  }

  shut(): void {
    this.doors = allShut;
  }

  /** Whether something is under way, or would be done by the doors as they are without time passing. */
  async isIdle(): Promise<boolean> {
    if (this.running.size > 0) return false;
    const names = await this.inner.catalog.queues();
    const queues = names.map((queue) => ({ queue, limit: 0 }));
    // A claim that takes nothing tells when there is something to take.
    const claim = this.doors.tasks
      ? await this.inner.tasks.claim({ queues, limit: 0, leaseMs: 1, runner: '' })
      : undefined;
    if (claim?.nextInMs.some((ms) => ms <= 0)) return false;
    if (!this.doors.schedules) return true;
    const due = await this.inner.schedules.due(names.map((queue) => ({ queue, skip: 0 })));
    return due.schedules.length === 0;
  }

  /** How many tasks are still to run. */
  async live(): Promise<{ waiting: number; scheduled: number; pending: number }> {
    const live = { waiting: 0, scheduled: 0, pending: 0 };
    for (const queue of await this.inner.catalog.queues()) {
      const counts = await this.inner.catalog.counts(queue);
      for (const state of ['waiting', 'scheduled', 'pending'] as const) live[state] += counts[state];
    }
    return live;
  }

  /** Takes one task, whatever the doors say; nothing where it is not to be had now. */
  async take({ queue, id }: TaskRef, leaseMs: number): Promise<ClaimedTask | undefined> {
    await this.inner.catalog.runNow([{ queue, id }]);
    const others: ClaimedTask[] = [];
    let taken: ClaimedTask | undefined;
    // It stands first as a rule, as in a bulk that is run one by one: those behind it are let be.
    for (let limit = 1, isMore = true; !taken && isMore; limit *= 2) {
      const request = { queues: [{ queue, limit }], limit, leaseMs, runner: 'inline' };
      const { tasks } = await this.inner.tasks.claim(request);
      taken = tasks.find((task) => task.id === id);
      others.push(...tasks.filter((task) => task.id !== id));
      isMore = tasks.length > 0;
    }
    const outcome = { type: 'handed-back' } as const;
    await this.inner.tasks.settle(others.map(({ queue, id, epoch }) => ({ queue, id, epoch, outcome })));
    if (taken) this.began(taken);
    return taken;
  }

  async settle(settlements: readonly Settlement[]): Promise<Settled[]> {
    this.moved();
    const settled = await this.inner.tasks.settle(settlements.map((one) => this.transactions.outcomeOf(one)));
    for (const settlement of settlements) {
      const { type } = settlement.outcome;
      this.running.delete(runOf(settlement));
      this.outcomes.set(type, (this.outcomes.get(type) ?? 0) + 1);
    }
    return settled;
  }

  private async addOne(group: readonly NewTask[]): Promise<Added[]> {
    const [added] = await this.add([group]);
    if (!Array.isArray(added)) throw added as Error;
    return added;
  }

  private async add(groups: readonly (readonly NewTask[])[]) {
    this.moved();
    for (const queue of new Set(groups.flat().map((task) => task.queue))) await this.watch.used(queue);
    const answers = await this.inner.tasks.add(groups);
    for (const [index, group] of groups.entries()) {
      const added = answers[index]!;
      if (!Array.isArray(added)) continue;
      for (const [at, task] of group.entries()) await this.ledger.add(task, added[at]!, this.clock.now());
    }
    return answers;
  }

  private async claim(request: ClaimRequest): Promise<Claim> {
    this.activity++;
    if (!this.doors.tasks) return { tasks: [], nextInMs: request.queues.map(() => Infinity) };
    const claim = await this.inner.tasks.claim(request);
    for (const task of claim.tasks) this.began(task);
    return claim;
  }

  private began(task: ClaimedTask): void {
    this.moved();
    this.runs++;
    this.runsOf.set(task.job, (this.runsOf.get(task.job) ?? 0) + 1);
    this.running.set(runOf(task), task);
  }

  private async listen(
    queues: readonly string[],
    wake: (queue: string) => void,
    join: () => Promise<() => void>,
  ): Promise<() => void> {
    const wakeAll = () => queues.forEach((queue) => wake(queue));
    this.wakes.add(wakeAll);
    const leave = await join();
    return () => {
      this.wakes.delete(wakeAll);
      leave();
    };
  }

  private moved(): void {
    this.activity++;
    this.progressAt = realNow();
  }
}

function runOf({ queue, id, epoch }: Settlement | ClaimedTask): string {
  return `${queue}\n${id}\n${epoch}`;
}
