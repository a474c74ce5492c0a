import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type {
  Backend,
  BackendSettings,
  Durability,
  LeaseGuard,
  LeaseGuardSettings,
  TaskStore,
} from '../backend.js';
import { StoreUnavailableError, UnusableStoreError } from '../errors.js';
import { guardPostgresLeases } from './lease-thread/postgres-lease-guard.js';
import { pgEngine } from './pg-engine.js';
import { pgliteEngine } from './pglite-engine.js';
import { PostgresBell } from './postgres-bell.js';
import { PostgresCatalog } from './postgres-catalog.js';
import { PostgresEvents } from './postgres-events.js';
import { checkServer } from './postgres-boot-checks.js';
import type { PostgresEngine } from './postgres-engine.js';
import { Folding } from './postgres-folding.js';
import { callOf, PostgresFunctions } from './postgres-functions.js';
import { checkSchema, migrate } from './postgres-migrate.js';
import { KnownQueues } from './postgres-queues.js';
import { HeldUpError, refusalOf } from './postgres-refusal.js';
import { PostgresSchedules } from './postgres-schedules.js';
import { PostgresStats } from './postgres-stats.js';
import {
  nameOf,
  postgresTarget,
  type PostgresBackendOptions,
  type PostgresTarget,
} from './postgres-target.js';
import { PostgresTasks } from './postgres-tasks.js';
import { PostgresTransactions } from './postgres-transactions.js';

/** How often a boot tries to migrate where others have the tables in hand, and what it waits in between. */
const mostTries = 15;
const pauseMs = 500;

/** Tasks in PostgreSQL: on a server, or in this process. */
export function postgresBackend(options: PostgresBackendOptions): Backend {
  return new PostgresBackend(postgresTarget(options), options.migrate ?? true, options.notify ?? true);
}

class PostgresBackend implements Backend {
  readonly name: string;
  durability: Durability | undefined;
  private parts: Parts | undefined;

  constructor(
    private readonly target: PostgresTarget,
    private readonly isMigrated: boolean,
    private readonly notify: boolean,
  ) {
    this.name = nameOf(target);
  }

  async open(settings: BackendSettings): Promise<void> {
    const engine = await this.engine(settings.prefix);
    const sender = randomUUID();
    const bell = new PostgresBell(engine.wire, sender, settings.prefix);
    try {
      await this.prepare(engine, settings.prefix);
      await bell.open();
    } catch (error) {
      await bell.close();
      await engine.close();
      const refusal = refusalOf(this.name, error, false);
      // At the boot there is nobody to try again: whatever keeps it from the database, it cannot be used.
      throw refusal instanceof StoreUnavailableError
        ? new UnusableStoreError(refusal.message, { cause: refusal })
        : refusal;
    }
    const hot = new PostgresFunctions(engine.hot, settings.prefix);
    const side = new PostgresFunctions(engine.side, settings.prefix);
    const queues = new KnownQueues(hot);
    const folding = new Folding(side);
    const closing = new AbortController();
    const { hasHotSessions, isSidePipelined, isSingle: isInProcess } = engine;
    const pipelines = { hasHotSessions, isSidePipelined };
    const parts = { hot, side, bell, queues, folding, closed: closing.signal, isInProcess, ...pipelines };
    this.parts = {
      prefix: settings.prefix,
      engine,
      bell,
      events: new PostgresEvents(engine.events, sender),
      closing,
      tasks: new PostgresTasks(parts, settings),
      schedules: new PostgresSchedules(hot, bell, queues, settings),
      catalog: new PostgresCatalog(side, bell, settings),
      stats: new PostgresStats(hot, side),
      transactions: new PostgresTransactions(engine, queues, folding, settings, engine.wire !== undefined),
    };
  }

  async close(): Promise<void> {
    const { parts } = this;
    parts?.closing.abort();
    await parts?.bell.close();
    await parts?.engine.close();
  }

  /** PostgreSQL in this process has one connection: there the runner renews leases itself. */
  guardLeases(settings: LeaseGuardSettings): LeaseGuard | undefined {
    const { target } = this;
    if (target.type === 'pglite') return undefined;
    return guardPostgresLeases(target.config, this.opened.prefix, settings);
  }

  get tasks(): TaskStore {
    return this.opened.tasks;
  }

  get schedules(): PostgresSchedules {
    return this.opened.schedules;
  }

  get catalog(): PostgresCatalog {
    return this.opened.catalog;
  }

  get stats(): PostgresStats {
    return this.opened.stats;
  }

  get bell(): PostgresBell {
    return this.opened.bell;
  }

  get events(): PostgresEvents {
    return this.opened.events;
  }

  get transactions(): PostgresTransactions {
    return this.opened.transactions;
  }

  private get opened(): Parts {
    if (!this.parts) throw new UnusableStoreError('the postgres backend is not open');
    return this.parts;
  }

  private engine(schema: string): Promise<PostgresEngine> {
    const { name, target, notify } = this;
    if (target.type === 'pglite') return pgliteEngine({ name, schema, database: target.database });
    return pgEngine({ name, schema, config: target.config, pool: target.pool, notify });
  }

  private async prepare(engine: PostgresEngine, schema: string): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        this.durability = await this.prepareOnce(engine, schema);
        break;
      } catch (error) {
        if (!(refusalOf(this.name, error, false) instanceof HeldUpError)) throw error;
        const why = 'a transaction that stays open keeps its tables from being brought to our version';
        if (tries === mostTries)
          throw new UnusableStoreError(`${this.name} cannot be used: ${why}`, { cause: error });
      }
      // Those who wait for the tables meanwhile get them.
      await pause(pauseMs * (0.5 + Math.random()));
    }
    new Logger('JobsModule').log(`${this.name}: durability ${this.durability}`);
  }

  private prepareOnce(engine: PostgresEngine, schema: string): Promise<Durability> {
    return engine.transact(async (session) => {
      // Whoever waited for another that migrates must see what that has made.
      await session.exec('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
      const durability = await checkServer(session, this.name, schema);
      if (this.isMigrated) await migrate(session, schema);
      else await checkSchema(session, schema, this.name);
      if (engine.isExclusive) await session.query(callOf(schema, 'end_leases_v1'), ['']);
      return durability;
    });
  }
}

interface Parts {
  readonly prefix: string;
  readonly engine: PostgresEngine;
  readonly bell: PostgresBell;
  readonly events: PostgresEvents;
  readonly closing: AbortController;
  readonly tasks: PostgresTasks;
  readonly schedules: PostgresSchedules;
  readonly catalog: PostgresCatalog;
  readonly stats: PostgresStats;
  readonly transactions: PostgresTransactions;
}
