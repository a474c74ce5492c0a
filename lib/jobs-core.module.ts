import {
  Global,
  Inject,
  Logger,
  Module,
  type BeforeApplicationShutdown,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { ExternalContextCreator, ModuleRef, ModulesContainer, type ApplicationConfig } from '@nestjs/core';
import type { Backend } from './backend/backend.js';
import { JobCatalog } from './catalog/job-catalog.js';
import { JobsHealth } from './health/jobs-health.js';
import { HookChain } from './job/hook-chain.js';
import { hookTroubles } from './job/hook-troubles.js';
import { JobContextCreator } from './job/job-context.js';
import { JobExplorer } from './job/job-explorer.js';
import { JobRegistry } from './job/job-registry.js';
import { JobsLog } from './job/jobs-log.js';
import { TaskEvents } from './job/task-events.js';
import { BACKEND, checkSingleRoot, JOBS_OPTIONS } from './jobs-root.js';
import { groundProviders } from './ground.providers.js';
import { observeProviders } from './observe.providers.js';
import { Carriage } from './observe/carriage.js';
import { JobEvents } from './observe/job-events.js';
import { METRICS_SOURCES } from './observe/metrics/jobs-metrics.module.js';
import { Observation } from './observe/observation.js';
import { ObserveModule } from './observe/observe.module.js';
import { queueProviders } from './queue.providers.js';
import type { ResolvedOptions } from './resolve-options.js';
import { Adder } from './queue/adder.js';
import { JobQueue } from './queue/job-queue.js';
import { ResultWaits } from './queue/result-waits.js';
import { Completion } from './runner/completion.js';
import { Conclusion } from './runner/conclusion.js';
import { DeclaredSchedules } from './runner/declared-schedules.js';
import { Executor } from './runner/executor.js';
import { Patience } from './runner/patience.js';
import { JobRunner } from './runner/job-runner.js';
import { RunnerModule } from './runner/runner.module.js';
import { lineOf } from './task/stored-error.js';
import { TaskLog } from './runner/task-log.js';
import { Clock } from './task/clock.js';
import { spanMs } from './task/duration.js';

/**
 * The parts and how they fit together. A module without options of its own, so that Nest makes it once however often
 * `JobsModule.forRoot` is imported.
 */
@Global()
@Module({
  imports: [RunnerModule, ObserveModule],
  providers: [
    ...groundProviders,
    ...queueProviders,
    ...observeProviders,
    {
      provide: JobsLog,
      inject: [JOBS_OPTIONS],
      useFactory: ({ log }: ResolvedOptions) => new JobsLog(log),
    },
    {
      provide: TaskEvents,
      inject: [JobsLog],
      useFactory: (log: JobsLog) =>
        new TaskEvents((error) =>
          log.write('error', 'TaskEvents', `a listener threw: ${lineOf(error)}`, error),
        ),
    },
    {
      provide: JobRegistry,
      inject: [JOBS_OPTIONS, JobsLog],
      useFactory: ({ defaults, payloadLimit, runner }: ResolvedOptions, log: JobsLog) => {
        const registry: JobRegistry = new JobRegistry(
          {
            defaults,
            payloadLimit,
            runsQueue: (queue) =>
              runner !== false && (runner.queues?.some(({ name }) => name === queue) ?? true),
          },
          new HookChain(hookTroubles(log)),
        );
        return registry;
      },
    },
    {
      provide: JobExplorer,
      inject: [JOBS_OPTIONS, ModulesContainer, ModuleRef, ExternalContextCreator],
      useFactory: (
        { globalEnhancers }: ResolvedOptions,
        modules: ModulesContainer,
        moduleRef: ModuleRef,
        external: ExternalContextCreator,
      ) =>
        new JobExplorer(
          modules,
          moduleRef,
          new JobContextCreator(modules, globalEnhancers ? globalsOf(external) : undefined),
        ),
    },
    {
      provide: DeclaredSchedules,
      inject: [JobRegistry],
      useFactory: (registry: JobRegistry) => new DeclaredSchedules(registry),
    },
    {
      provide: JobRunner,
      inject: [JOBS_OPTIONS, BACKEND, JobRegistry, Clock, JobsLog, DeclaredSchedules, TaskEvents, Carriage],
      useFactory: (
        { runner, retention, payloadLimit }: ResolvedOptions,
        backend: Backend,
        registry: JobRegistry,
        clock: Clock,
        log: JobsLog,
        declared: DeclaredSchedules,
        events: TaskEvents,
        carriage: Carriage,
      ) => {
        const lines = new TaskLog(log, clock, (job, extra) => registry.redactionOf(job, extra));
        const keep = {
          succeededMs: () => spanMs(retention.succeeded, clock.now()),
          deadMs: () => spanMs(retention.dead, clock.now()),
          cancelledMs: () => spanMs(retention.cancelled, clock.now()),
        };
        const patience = new Patience(clock);
        const conclusion = new Conclusion(registry.hooks, patience, keep, payloadLimit, clock, lines, log);
        const executor = new Executor(
          registry,
          clock,
          patience,
          conclusion,
          lines,
          log,
          events,
          carriage,
          (attempt) =>
            new Completion(backend, attempt, (ended, result) => conclusion.successOf(ended, result)),
        );
        const troubles = new JobsLog({ level: 'warn' });
        return new JobRunner(
          { backend, registry, executor, clock, log: troubles, lines, taskLines: log, declared, events },
          runner,
        );
      },
    },
    JobsHealth,
    {
      provide: JobCatalog,
      inject: [BACKEND, JobRegistry, JobQueue],
      useFactory: (backend: Backend, registry: JobRegistry, queue: JobQueue) =>
        new JobCatalog(backend, registry, (job, params, options) => queue.enqueue(job, params, options)),
    },
  ],
  exports: [
    JobQueue,
    JobRunner,
    JobCatalog,
    JobEvents,
    JobsHealth,
    Observation,
    METRICS_SOURCES,
    Clock,
    JOBS_OPTIONS,
  ],
})
export class JobsCoreModule implements OnModuleInit, BeforeApplicationShutdown, OnApplicationShutdown {
  private isOpen = false;

  constructor(
    @Inject(JOBS_OPTIONS) private readonly options: ResolvedOptions,
    @Inject(BACKEND) private readonly backend: Backend,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Adder) private readonly adder: Adder,
    @Inject(ResultWaits) private readonly results: ResultWaits,
    @Inject(JobRegistry) private readonly registry: JobRegistry,
    @Inject(JobExplorer) private readonly explorer: JobExplorer,
    @Inject(DeclaredSchedules) private readonly declared: DeclaredSchedules,
    @Inject(Observation) private readonly observation: Observation,
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
  ) {
    // Nest calls `onModuleInit` by distance, the farthest first: before any other module may enqueue, the store is open.
    for (const module of modules.values()) if (module.metatype === JobsCoreModule) module.distance = Infinity;
  }

  async onModuleInit(): Promise<void> {
    checkSingleRoot(this.modules);
    await this.explorer.explore(this.registry);
    await this.declared.prepare();
    this.observation.explore();
    if (this.options.backend === undefined && process.env.NODE_ENV === 'production')
      new Logger('JobsModule').warn(
        "tasks live in this process's memory and are lost when it ends; name a backend, or say 'memory:' if that is meant",
      );
    const { prefix, retention, enqueueTimeoutMs } = this.options;
    const now = this.clock.now();
    await this.backend.open({
      prefix,
      deadKeepMs: spanMs(retention.dead, now),
      cancelledKeepMs: spanMs(retention.cancelled, now),
      enqueueTimeoutMs,
    });
    this.isOpen = true;
    this.adder.open();
    this.observation.begin();
  }

  /** Before a server waits for its open requests, which may wait for results that nobody here brings any more. */
  beforeApplicationShutdown(): void {
    this.results.close();
  }

  async onApplicationShutdown(): Promise<void> {
    this.adder.close();
    this.observation.end();
    if (!this.isOpen) return;
    this.isOpen = false;
    await this.backend.close();
  }
}

/** Nest hands out its global guards, interceptors, pipes and filters no other way. */
function globalsOf(external: ExternalContextCreator): ApplicationConfig | undefined {
  return (external as unknown as { container?: { applicationConfig?: ApplicationConfig } }).container
    ?.applicationConfig;
}
