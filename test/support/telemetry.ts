import { afterEach, beforeEach } from '@jest/globals';
import { context, metrics, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base';

/** One series of a metric, by its attributes. */
export interface Point {
  readonly attributes: Record<string, unknown>;
  readonly value: unknown;
}

export interface Telemetry {
  /** The spans that have ended, in that order. */
  spans(): ReadableSpan[];
  /** Collects, and answers the points of a metric with its unit. */
  collect(name: string): Promise<{ unit: string; points: Point[] }>;
}

/** OpenTelemetry's real SDKs, registered before each test and taken away after it. */
export function useTelemetry(): Telemetry {
  let spans: InMemorySpanExporter;
  let measured: InMemoryMetricExporter;
  let meters: MeterProvider;

  beforeEach(() => {
    spans = new InMemorySpanExporter();
    const tracers = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
    trace.setGlobalTracerProvider(tracers);
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    const propagators = [new W3CTraceContextPropagator(), new W3CBaggagePropagator()];
    propagation.setGlobalPropagator(new CompositePropagator({ propagators }));
    measured = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const reader = new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 3_600_000 });
    meters = new MeterProvider({ readers: [reader] });
    metrics.setGlobalMeterProvider(meters);
  });

  afterEach(async () => {
    await meters.shutdown();
    for (const api of [trace, context, propagation, metrics]) api.disable();
  });

  return {
    spans: () => spans.getFinishedSpans(),
    collect: async (name) => {
      measured.reset();
      await meters.forceFlush();
      const found = measured
        .getMetrics()
        .flatMap(({ scopeMetrics }) => scopeMetrics)
        .filter(({ scope }) => scope.name === 'nestjs-jobs')
        .flatMap((scope) => scope.metrics)
        .find(({ descriptor }) => descriptor.name === name);
      return { unit: found?.descriptor.unit ?? '', points: (found?.dataPoints ?? []) as Point[] };
    },
  };
}
