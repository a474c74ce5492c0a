import type { ClaimedTask } from '../../backend/backend.js';
import type { EnqueueTracing } from '../../job/carrying.js';
import type { TaskInTheMaking } from '../../task/build-task.js';
import { extraWith, type TaskExtra } from '../../task/enqueue-plan.js';
import type { Outcome } from '../../task/outcome.js';
import type { Mask } from '../../task/redact-text.js';
import { storedError } from '../../task/stored-error.js';
import type { Harmless } from './harmless.js';
import { messagingAttributes, outcomeName, scopeName } from './messaging.js';
import type { OtelApi, OtelContext, OtelSpan, OtelTracer, OtelTracerProvider } from './otel-api.js';

/** More than this, as a large baggage, does not travel with every task: then only the span does. */
const mostCarriedBytes = 8_192;
const ofSpan = new Set(['traceparent', 'tracestate']);

/**
 * A producer span for each enqueue and a consumer span for each attempt, which finds the other by what its task carries.
 * Whatever telemetry does, enqueue and attempt end as they would without it.
 */
export class Tracing implements EnqueueTracing {
  private provider: OtelTracerProvider | undefined;
  private tracer: OtelTracer | undefined;

  constructor(
    private readonly otel: OtelApi,
    private readonly harmless: Harmless,
  ) {}

  /** Whether the application has registered something that traces: it may do so at any time. */
  get isOn(): boolean {
    return this.harmless.call(() => this.findTracer()) ?? false;
  }

  enqueue<T extends { readonly status: string }>(
    how: 'enqueue' | 'schedule',
    task: TaskInTheMaking,
    mask: Mask,
    store: () => Promise<T>,
  ): Promise<T> {
    const { job, queue, id } = task;
    const attributes = { ...messagingAttributes(how, job, queue), 'messaging.message.id': id };
    return this.produce(`${how} ${job}`, attributes, [task], mask, async (span) => {
      const stored = await store();
      this.harmless.call(() => span?.setAttributes({ 'nestjs_jobs.status': stored.status }));
      return stored;
    });
  }

  /** One span for all of a bulk. */
  enqueueAll<T>(tasks: readonly TaskInTheMaking[], mask: Mask, store: () => Promise<T>): Promise<T> {
    const job = onlyOne(tasks.map((task) => task.job));
    const queue = onlyOne(tasks.map((task) => task.queue));
    const attributes = {
      ...messagingAttributes('enqueue', job, queue),
      'messaging.batch.message_count': tasks.length,
    };
    return this.produce(job === undefined ? 'enqueue' : `enqueue ${job}`, attributes, tasks, mask, store);
  }

  /** Around an attempt: a child of the span that enqueued its task, however long ago, and linked to it. */
  attempt(claimed: ClaimedTask, extra: TaskExtra, next: () => Promise<Outcome>): Promise<Outcome> {
    const begun = this.harmless.call(() => this.consumer(claimed, extra));
    if (!begun) return next();
    const { span, within } = begun;
    return this.within(within, async () => {
      const outcome = await next();
      this.harmless.call(() => this.tell(span, outcome));
      this.harmless.call(() => span.end());
      return outcome;
    });
  }

  private findTracer(): boolean {
    const provider = this.otel.trace.getTracerProvider();
    if (provider === this.provider && this.tracer) return true;
    this.provider = provider;
    this.tracer = provider.getDelegateTracer
      ? provider.getDelegateTracer(scopeName)
      : provider.getTracer(scopeName);
    return this.tracer !== undefined;
  }

  private consumer(
    { job, queue, id, attempt, scheduleId }: ClaimedTask,
    { trace: carried }: TaskExtra,
  ): { span: OtelSpan; within: OtelContext } {
    const { propagation, trace, ROOT_CONTEXT, SpanKind } = this.otel;
    const sent = carried ? propagation.extract(ROOT_CONTEXT, { ...carried }) : ROOT_CONTEXT;
    const producer = trace.getSpanContext(sent);
    const span = this.tracer!.startSpan(
      `process ${job}`,
      {
        kind: SpanKind.CONSUMER,
        attributes: {
          ...messagingAttributes('process', job, queue),
          'messaging.message.id': id,
          'nestjs_jobs.attempt': attempt,
          'nestjs_jobs.schedule.id': scheduleId,
        },
        links: producer && [{ context: producer }],
      },
      // A schedule may go on for years: each of its tasks has a trace of its own.
      scheduleId === undefined ? sent : trace.deleteSpan(sent),
    );
    return { span, within: trace.setSpan(sent, span) };
  }

  private async produce<T>(
    name: string,
    attributes: ReturnType<typeof messagingAttributes>,
    tasks: readonly TaskInTheMaking[],
    mask: Mask,
    store: (span?: OtelSpan) => Promise<T>,
  ): Promise<T> {
    const begun = this.harmless.call(() => this.producer(name, attributes));
    if (!begun) return store();
    const { span, within } = begun;
    const carried = this.harmless.call(() => this.carriedIn(within));
    for (const task of tasks) task.extra = extraWith(task.extra, 'trace', carried);
    try {
      return await this.within(within, () => store(span));
    } catch (error) {
      this.harmless.call(() => this.fail(span, storedError(error, mask)));
      throw error;
    } finally {
      this.harmless.call(() => span.end());
    }
  }

  private producer(
    name: string,
    attributes: ReturnType<typeof messagingAttributes>,
  ): { span: OtelSpan; within: OtelContext } {
    const { context, trace, SpanKind } = this.otel;
    const active = context.active();
    const span = this.tracer!.startSpan(name, { kind: SpanKind.PRODUCER, attributes }, active);
    return { span, within: trace.setSpan(active, span) };
  }

  private within<T>(context: OtelContext, work: () => Promise<T>): Promise<T> {
    return this.harmless.within((begin) => this.otel.context.with(context, begin), work);
  }

  /** By the propagators that the application has registered. */
  private carriedIn(context: OtelContext): string | undefined {
    const carrier: Record<string, string> = {};
    this.otel.propagation.inject(context, carrier);
    const text = JSON.stringify(carrier);
    if (text === '{}') return undefined;
    if (Buffer.byteLength(text) <= mostCarriedBytes) return text;
    return JSON.stringify(Object.fromEntries(Object.entries(carrier).filter(([name]) => ofSpan.has(name))));
  }

  private tell(span: OtelSpan, outcome: Outcome): void {
    span.setAttributes({ 'nestjs_jobs.outcome': outcomeName(outcome) });
    if ('error' in outcome) this.fail(span, outcome.error);
  }

  private fail(span: OtelSpan, error: { name: string; message: string; stack?: string }): void {
    span.recordException(error);
    span.setStatus({ code: this.otel.SpanStatusCode.ERROR, message: error.message });
    span.setAttributes({ 'error.type': error.name });
  }
}

function onlyOne(names: readonly string[]): string | undefined {
  return names.every((name) => name === names[0]) ? names[0] : undefined;
}
