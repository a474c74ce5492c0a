/**
 * What is used of `@opentelemetry/api`, by shape: the package is optional, and an application that has it not must not need
 * its types.
 */
export interface OtelApi {
  readonly ROOT_CONTEXT: OtelContext;
  readonly SpanKind: { readonly PRODUCER: number; readonly CONSUMER: number };
  readonly SpanStatusCode: { readonly ERROR: number };
  readonly context: {
    active(): OtelContext;
    with<T>(context: OtelContext, work: () => T): T;
  };
  readonly trace: {
    getTracerProvider(): OtelTracerProvider;
    setSpan(context: OtelContext, span: OtelSpan): OtelContext;
    deleteSpan(context: OtelContext): OtelContext;
    getSpanContext(context: OtelContext): OtelSpanContext | undefined;
  };
  readonly propagation: {
    inject(context: OtelContext, carrier: Record<string, string>): void;
    extract(context: OtelContext, carrier: Record<string, string>): OtelContext;
  };
  readonly metrics: { getMeter(name: string): OtelMeter };
  createNoopMeter(): OtelMeter;
}

export interface OtelContext {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): OtelContext;
  deleteValue(key: symbol): OtelContext;
}

export interface OtelSpanContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
}

export interface OtelTracerProvider {
  getTracer(name: string): OtelTracer;
  /** Of the provider that stands in for the one that an application registers: undefined while there is none. */
  getDelegateTracer?(name: string): OtelTracer | undefined;
}

export interface OtelTracer {
  startSpan(
    name: string,
    options: {
      readonly kind: number;
      readonly attributes: OtelAttributes;
      readonly links?: { readonly context: OtelSpanContext }[];
    },
    context: OtelContext,
  ): OtelSpan;
}

export interface OtelSpan {
  setAttributes(attributes: OtelAttributes): unknown;
  setStatus(status: { readonly code: number; readonly message?: string }): unknown;
  recordException(exception: {
    readonly name: string;
    readonly message: string;
    readonly stack?: string;
  }): void;
  end(): void;
}

export type OtelAttributes = Record<string, string | number | boolean | undefined>;

export interface OtelMeter {
  createHistogram(name: string, options: OtelHistogramOptions): OtelHistogram;
  createCounter(name: string, options: OtelInstrumentOptions): OtelCounter;
  createObservableGauge(name: string, options: OtelInstrumentOptions): OtelObservable;
  addBatchObservableCallback(observe: OtelObserve, observables: OtelObservable[]): void;
  removeBatchObservableCallback(observe: OtelObserve, observables: OtelObservable[]): void;
}

interface OtelInstrumentOptions {
  readonly description: string;
  readonly unit: string;
}

interface OtelHistogramOptions extends OtelInstrumentOptions {
  readonly advice: { readonly explicitBucketBoundaries: number[] };
}

export interface OtelHistogram {
  record(value: number, attributes: OtelAttributes): void;
}

export interface OtelCounter {
  add(value: number, attributes: OtelAttributes): void;
}

export interface OtelObservable {
  addCallback(callback: OtelCallback): void;
  removeCallback(callback: OtelCallback): void;
}

type OtelCallback = (result: {
  observe(value: number, attributes?: OtelAttributes): void;
}) => void | Promise<void>;

export type OtelObserve = (result: {
  observe(observable: OtelObservable, value: number, attributes?: OtelAttributes): void;
}) => void | Promise<void>;
