import type { Provider } from '@nestjs/common';
import type { Backend } from './backend/backend.js';
import { KnownQueues } from './catalog/known-queues.js';
import { JobRegistry } from './job/job-registry.js';
import { JobsLog } from './job/jobs-log.js';
import { TaskEvents } from './job/task-events.js';
import { BACKEND, JOBS_OPTIONS } from './jobs-root.js';
import { standIns } from './ground.providers.js';
import { Carriage } from './observe/carriage.js';
import { Adder } from './queue/adder.js';
import { JobQueue } from './queue/job-queue.js';
import { ResultWaits } from './queue/result-waits.js';
import { SchedulePutter } from './queue/schedule-putter.js';
import { TaskWriter } from './queue/task-writer.js';
import type { ResolvedOptions } from './resolve-options.js';
import type { StandIns } from './stand-ins.js';
import { Clock } from './task/clock.js';
import { TaskIds } from './task/task-id.js';

/** What brings tasks to the store. */
export const queueProviders: Provider[] = [
  {
    provide: Adder,
    inject: [JOBS_OPTIONS, BACKEND, Clock],
    useFactory: ({ enqueueTimeoutMs }: ResolvedOptions, backend: Backend, clock: Clock) =>
      new Adder(backend, clock, enqueueTimeoutMs),
  },
  {
    provide: ResultWaits,
    inject: [BACKEND, Clock, JobRegistry],
    useFactory: (backend: Backend, clock: Clock, registry: JobRegistry) =>
      new ResultWaits(backend, clock, () => new KnownQueues(backend, registry).names()),
  },
  {
    provide: JobQueue,
    inject: [
      JOBS_OPTIONS,
      BACKEND,
      JobRegistry,
      Adder,
      Clock,
      JobsLog,
      TaskEvents,
      Carriage,
      ResultWaits,
      standIns,
    ],
    useFactory: (
      { runner, enqueueTimeoutMs }: ResolvedOptions,
      backend: Backend,
      registry: JobRegistry,
      adder: Adder,
      clock: Clock,
      log: JobsLog,
      events: TaskEvents,
      carriage: Carriage,
      results: ResultWaits,
      others?: StandIns,
    ) =>
      new (others?.JobQueue ?? JobQueue)(
        registry,
        new TaskWriter(backend, adder),
        new SchedulePutter(backend, clock, enqueueTimeoutMs),
        new TaskIds(),
        clock,
        log,
        events,
        carriage,
        runner === false || runner.queues !== undefined,
        results,
      ),
  },
];
