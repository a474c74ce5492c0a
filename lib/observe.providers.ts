import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Provider } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { Backend } from './backend/backend.js';
import { JobRegistry } from './job/job-registry.js';
import { JobsLog } from './job/jobs-log.js';
import { TaskEvents } from './job/task-events.js';
import { BACKEND, JOBS_OPTIONS } from './jobs-root.js';
import { Carriage } from './observe/carriage.js';
import { ContextCarrier } from './observe/context-carrier.js';
import { EventHub } from './observe/event-hub.js';
import { EventRelay } from './observe/event-relay.js';
import { JobEvents } from './observe/job-events.js';
import { METRICS_SOURCES } from './observe/metrics/jobs-metrics.module.js';
import type { MetricsSources } from './observe/metrics/jobs-metrics.js';
import { QueueGlances } from './observe/metrics/queue-glances.js';
import { Observation } from './observe/observation.js';
import { TaskListeners } from './observe/task-listeners.js';
import { Harmless } from './observe/telemetry/harmless.js';
import { loadOtelApi } from './observe/telemetry/load-otel-api.js';
import type { OtelApi } from './observe/telemetry/otel-api.js';
import { OtelMetrics } from './observe/telemetry/otel-metrics.js';
import { Tracing } from './observe/telemetry/tracing.js';
import type { ResolvedOptions } from './resolve-options.js';
import { Clock } from './task/clock.js';
import { lineOf } from './task/stored-error.js';

const OTEL = Symbol('nestjs-jobs OpenTelemetry API');

function harmless(log: JobsLog): Harmless {
  return new Harmless((error) =>
    log.write('error', 'OpenTelemetry', `telemetry threw, tasks go on without it: ${lineOf(error)}`, error),
  );
}

/** What looks on, and what travels with tasks for those who do. */
export const observeProviders: Provider[] = [
  {
    provide: OTEL,
    inject: [JobsLog],
    useFactory: (log: JobsLog) =>
      loadOtelApi((error) =>
        log.write('warn', 'JobsModule', `@opentelemetry/api cannot be loaded: ${lineOf(error)}`),
      ),
  },
  {
    provide: Carriage,
    inject: [JOBS_OPTIONS, OTEL, JobsLog],
    useFactory: ({ context }: ResolvedOptions, otel: OtelApi | undefined, log: JobsLog) =>
      new Carriage(context && new ContextCarrier(context, log), otel && new Tracing(otel, harmless(log))),
  },
  {
    provide: EventHub,
    inject: [TaskEvents, JobsLog],
    useFactory: (events: TaskEvents, log: JobsLog) =>
      new EventHub(events, `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`, (error) =>
        log.write('error', 'JobEvents', `a listener threw: ${lineOf(error)}`, error),
      ),
  },
  {
    provide: JobEvents,
    inject: [EventHub],
    useFactory: (hub: EventHub) => new JobEvents(hub),
  },
  {
    provide: METRICS_SOURCES,
    inject: [BACKEND, TaskEvents, Clock, JobRegistry],
    useFactory: (
      backend: Backend,
      events: TaskEvents,
      clock: Clock,
      registry: JobRegistry,
    ): MetricsSources => {
      const known = () => registry.provided().map(({ definition }) => definition.queue);
      return { events, glances: new QueueGlances(backend, clock, known) };
    },
  },
  {
    provide: Observation,
    inject: [
      JOBS_OPTIONS,
      BACKEND,
      ModulesContainer,
      JobRegistry,
      EventHub,
      METRICS_SOURCES,
      OTEL,
      Clock,
      JobsLog,
    ],
    useFactory: (
      { events: { scope } }: ResolvedOptions,
      backend: Backend,
      modules: ModulesContainer,
      registry: JobRegistry,
      hub: EventHub,
      { events, glances }: MetricsSources,
      otel: OtelApi | undefined,
      clock: Clock,
      log: JobsLog,
    ) => {
      const listeners = new TaskListeners(modules, registry, hub, log);
      const relay = scope === 'cluster' ? new EventRelay(backend, events, hub, clock, log) : undefined;
      const metrics = otel && new OtelMetrics(events, glances, otel, harmless(log));
      return new Observation(hub, listeners, relay, metrics, clock);
    },
  },
];
