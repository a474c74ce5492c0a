import { describe, expect, it } from '@jest/globals';
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { Job, JobHooks, Task, type Enqueued, type JobQueue } from 'nestjs-jobs';
import { startApp } from '../support/app.js';
import { useTelemetry } from '../support/telemetry.js';

const telemetry = useTelemetry();
const tracer = () => trace.getTracer('test');
const named = (name: string) => telemetry.spans().filter((span) => span.name === name);
const idOf = (span: ReadableSpan) => span.spanContext().spanId;
const traceOf = (span: ReadableSpan) => span.spanContext().traceId;

/** Enqueues as a request would that is traced. */
function inRequest<T>(act: () => Promise<T>): Promise<T> {
  return tracer().startActiveSpan('request', async (span) => {
    try {
      return await act();
    } finally {
      span.end();
    }
  });
}

describe('OpenTelemetry', () => {
  it('sees a producer span within the request, and a consumer span in the same trace', async () => {
    @Job({ queue: 'mail' })
    class Send {
      run(): void {}
    }
    const { jobs, advance } = await startApp({ providers: [Send] });
    const { id } = await inRequest(() => jobs.enqueue(Send));
    await advance(0);
    const [request, sent, run] = ['request', 'enqueue Send', 'process Send'].map((name) => named(name)[0]!);
    expect([sent!.kind, run!.kind]).toEqual([SpanKind.PRODUCER, SpanKind.CONSUMER]);
    expect(sent!.parentSpanContext?.spanId).toBe(idOf(request!));
    expect(run!.parentSpanContext?.spanId).toBe(idOf(sent!));
    expect(new Set([request!, sent!, run!].map(traceOf)).size).toBe(1);
    expect(run!.links.map((link) => link.context.spanId)).toEqual([idOf(sent!)]);
    expect(sent!.attributes).toEqual({
      'messaging.system': 'nestjs_jobs',
      'messaging.operation.name': 'enqueue',
      'messaging.operation.type': 'send',
      'messaging.destination.name': 'mail',
      'messaging.message.id': id,
      'nestjs_jobs.job': 'Send',
      'nestjs_jobs.status': 'enqueued',
    });
    expect(run!.attributes).toEqual({
      'messaging.system': 'nestjs_jobs',
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'messaging.destination.name': 'mail',
      'messaging.message.id': id,
      'nestjs_jobs.job': 'Send',
      'nestjs_jobs.attempt': 1,
      'nestjs_jobs.outcome': 'succeeded',
    });
    expect(run!.status.code).toBe(SpanStatusCode.UNSET);
    expect(run!.instrumentationScope.name).toBe('nestjs-jobs');
  });

  it('has spans of hooks and handler within the consumer span, and of what they enqueue in the same trace', async () => {
    const seen: (string | undefined)[] = [];
    const see = () => void seen.push(trace.getActiveSpan()?.spanContext().spanId);
    @Job()
    class Next {
      run(): void {}
    }
    let queue: JobQueue;
    @Job({ timeout: '1s', retries: 0 })
    class First {
      beforeRun = see;
      async run(): Promise<void> {
        await queue.enqueue(Next);
        see();
        await new Promise(() => undefined);
      }
      afterRun = see;
    }
    const { jobs, advance } = await startApp({ providers: [First, Next] });
    queue = jobs;
    await jobs.enqueue(First);
    await advance(1_000);
    const [run] = named('process First');
    expect(seen).toEqual([idOf(run!), idOf(run!), idOf(run!)]);
    expect(named('enqueue Next')[0]!.parentSpanContext?.spanId).toBe(idOf(run!));
    expect(traceOf(named('process Next')[0]!)).toBe(traceOf(named('enqueue First')[0]!));
    expect(run!.attributes).toMatchObject({
      'nestjs_jobs.outcome': 'dead',
      'error.type': 'TaskTimeoutError',
    });
  });

  it('gets a span for each attempt, each with its error, all linked to the enqueue', async () => {
    @Job({ retries: [1_000] })
    class Work {
      run(_params: void, task: Task): void {
        throw new TypeError(`attempt ${task.attempt}`);
      }
    }
    const { jobs, advance } = await startApp({ providers: [Work] });
    await jobs.enqueue(Work);
    await advance(2_000);
    const [sent] = named('enqueue Work');
    const runs = named('process Work');
    expect(runs.map(({ links }) => links[0]!.context.spanId)).toEqual([idOf(sent!), idOf(sent!)]);
    expect(runs.map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual([
      idOf(sent!),
      idOf(sent!),
    ]);
    expect(runs.map(({ status }) => status)).toEqual([
      { code: SpanStatusCode.ERROR, message: 'attempt 1' },
      { code: SpanStatusCode.ERROR, message: 'attempt 2' },
    ]);
    expect(runs.map(({ events }) => events.map((event) => [event.name, event.attributes]))).toEqual(
      ['attempt 1', 'attempt 2'].map((message) => [
        [
          'exception',
          {
            'exception.type': 'TypeError',
            'exception.message': message,
            'exception.stacktrace': expect.stringContaining('tracing.spec'),
          },
        ],
      ]),
    );
    expect(
      runs.map(({ attributes }) => [attributes['nestjs_jobs.attempt'], attributes['nestjs_jobs.outcome']]),
    ).toEqual([
      [1, 'failed'],
      [2, 'dead'],
    ]);
    expect(runs[0]!.attributes['error.type']).toBe('TypeError');
  });

  it('sees nothing of what a job redacts', async () => {
    @Job({ name: 'Charge', retries: 0, redact: ['card'] })
    class Charge {
      run({ card }: { card: string }): void {
        throw new Error(`card ${card} is refused`);
      }
    }
    const { jobs, advance } = await startApp({ providers: [Charge] });
    await jobs.enqueue(Charge, { card: '4111-1111' });
    await advance(0);
    const [run] = named('process Charge');
    const told = JSON.stringify([run!.attributes, run!.status, run!.events]);
    expect(told).toContain('card [redacted] is refused');
    expect(told).not.toContain('4111-1111');
  });

  it('sees nothing of what a job redacts when an enqueue is refused, by itself or in a bulk', async () => {
    @JobHooks()
    class Hooks {
      beforeEnqueue({ params }: Task): void {
        throw new Error(`card ${(params as { card: string }).card} is stolen`);
      }
    }
    @Job({ name: 'Charge', redact: ['card'] })
    class Charge {
      run(_params: { card: string }): void {}
    }
    const { jobs } = await startApp({ providers: [Charge, Hooks], options: { runner: false } });
    const params = { card: '4111-1111' };
    await expect(jobs.enqueue(Charge, params)).rejects.toThrow('4111-1111');
    await expect(jobs.bulk((bulk) => bulk.enqueue(Charge, params))).rejects.toThrow('4111-1111');
    for (const { attributes, status, events } of named('enqueue Charge')) {
      const told = JSON.stringify([attributes, status, events]);
      expect(told).toContain('card [redacted] is stolen');
      expect(told).not.toContain('4111-1111');
    }
    expect(named('enqueue Charge')).toHaveLength(2);
  });

  it('reads well where the params of a bulk are a part of what stands for them', async () => {
    @JobHooks()
    class Hooks {
      afterEnqueue(): void {}
      beforeEnqueue({ params }: Task): void {
        if ((params as { card: string }).card === 'last') throw new Error('card red is stolen');
      }
    }
    @Job({ name: 'Charge', redact: ['card'] })
    class Charge {
      run(_params: { card: string }): void {}
    }
    const { jobs } = await startApp({ providers: [Charge, Hooks], options: { runner: false } });
    const cards = [...Array.from({ length: 20 }, () => ['red', 'act', 'ted']).flat(), 'last'];
    const bulk = jobs.bulk((bulk) => cards.forEach((card) => bulk.enqueue(Charge, { card })));
    await expect(bulk).rejects.toThrow('card red is stolen');
    const status = named('enqueue Charge')[0]?.status;
    expect(status?.message).toBe('card [redacted] is stolen');
  });

  it('carries baggage and the state of the trace to the run', async () => {
    const seen: unknown[] = [];
    @Job()
    class Work {
      run(): void {
        seen.push(propagation.getActiveBaggage()?.getEntry('tenant')?.value);
      }
    }
    const { jobs, catalog, advance } = await startApp({ providers: [Work] });
    const baggage = propagation.createBaggage({ tenant: { value: 'acme' } });
    const { id } = await context.with(propagation.setBaggage(context.active(), baggage), () =>
      jobs.enqueue(Work, undefined, { in: '1s', retries: 2, backoff: '5s' }),
    );
    const { extra } = (await catalog.task(id))!;
    const [sent] = named('enqueue Work');
    expect(extra).toEqual({
      backoff: '5s',
      trace: { traceparent: `00-${traceOf(sent!)}-${idOf(sent!)}-01`, baggage: 'tenant=acme' },
    });
    await advance(1_000);
    expect(seen).toEqual(['acme']);
  });

  it('carries no more than the span where the baggage is large', async () => {
    @Job()
    class Work {
      run(): void {}
    }
    const { jobs, catalog } = await startApp({ providers: [Work], options: { runner: false } });
    const entry = (n: number) => [`key-${n}`, { value: 'x'.repeat(2_030) }];
    const baggage = propagation.createBaggage(
      Object.fromEntries(Array.from({ length: 4 }, (_, n) => entry(n))),
    );
    const { id } = await context.with(propagation.setBaggage(context.active(), baggage), () =>
      jobs.enqueue(Work),
    );
    const { trace: carried } = (await catalog.task(id))!.extra as { trace: object };
    expect(Object.keys(carried)).toEqual(['traceparent']);
  });

  it('sees one producer span for a bulk, which all its tasks are linked to', async () => {
    @Job({ queue: 'mail' })
    class Send {
      run(_n: number): void {}
    }
    @Job()
    class Other {
      run(): void {}
    }
    const { jobs, advance } = await startApp({ providers: [Send, Other] });
    await jobs.bulk((bulk) => {
      for (let n = 0; n < 3; n++) bulk.enqueue(Send, n);
    });
    await jobs.bulk((bulk) => {
      bulk.enqueue(Send, 1);
      bulk.enqueue(Other);
    });
    await jobs.bulk(() => undefined);
    await advance(0);
    const [same] = named('enqueue Send');
    const [mixed] = named('enqueue');
    expect(same!.attributes).toMatchObject({
      'messaging.batch.message_count': 3,
      'messaging.destination.name': 'mail',
      'nestjs_jobs.job': 'Send',
    });
    expect(mixed!.attributes).toMatchObject({ 'messaging.batch.message_count': 2 });
    expect(mixed!.attributes).not.toHaveProperty('messaging.destination.name');
    const parents = telemetry.spans().filter(({ kind }) => kind === SpanKind.CONSUMER);
    expect(parents.map((span) => span.parentSpanContext?.spanId).toSorted()).toEqual(
      [same!, same!, same!, mixed!, mixed!].map(idOf).toSorted(),
    );
  });

  it('sees each slot of a schedule as a trace of its own, linked to the call that put it', async () => {
    @Job()
    class Work {
      run(): void {}
    }
    const { jobs, advance } = await startApp({ providers: [Work] });
    await jobs.enqueue(Work, undefined, { every: '1m', id: 'often' });
    await advance(60_000);
    const [put] = named('schedule Work');
    const runs = named('process Work');
    expect(put!.attributes).toMatchObject({
      'messaging.operation.type': 'create',
      'messaging.message.id': 'often',
    });
    expect(runs).toHaveLength(2);
    expect(new Set([put!, ...runs].map(traceOf)).size).toBe(3);
    expect(runs.map(({ parentSpanContext }) => parentSpanContext)).toEqual([undefined, undefined]);
    expect(runs.map(({ links }) => links[0]!.context.spanId)).toEqual([idOf(put!), idOf(put!)]);
    expect(runs[0]!.attributes['nestjs_jobs.schedule.id']).toBe('often');
  });

  it('sees what kept an enqueue from being stored', async () => {
    @JobHooks()
    class Hooks {
      beforeEnqueue({ params }: Task): boolean {
        if (params === 'throw') throw new RangeError('not today');
        return params !== 'veto';
      }
    }
    @Job()
    class Work {
      run(_how: string): void {}
    }
    const { jobs } = await startApp({ providers: [Work, Hooks], options: { runner: false } });
    const how = async (params: string, id?: string): Promise<Enqueued> => jobs.enqueue(Work, params, { id });
    await expect(how('throw')).rejects.toThrow('not today');
    await how('veto');
    await how('ok', 'a');
    await how('ok', 'a');
    const spans = named('enqueue Work');
    expect(spans.map(({ attributes }) => attributes['nestjs_jobs.status'])).toEqual([
      undefined,
      'vetoed',
      'enqueued',
      'existing',
    ]);
    expect(spans[0]!.status).toEqual({ code: SpanStatusCode.ERROR, message: 'not today' });
    expect(spans[0]!.attributes['error.type']).toBe('RangeError');
    await expect(jobs.enqueue(Work, (() => 1) as never)).rejects.toThrow();
    expect(named('enqueue Work')).toHaveLength(4);
  });

  it('sees a context that cannot be restored as the failure that it is', async () => {
    @Job({ retries: 0 })
    class Work {
      run(): void {}
    }
    const restore = () => {
      throw new Error('no such tenant');
    };
    const { jobs, advance } = await startApp({
      options: { context: { capture: () => ({ tenant: 'acme' }), restore } },
      providers: [Work],
    });
    await jobs.enqueue(Work);
    await advance(0);
    const [run] = named('process Work');
    expect(run!.attributes).toMatchObject({ 'error.type': 'ContextError', 'nestjs_jobs.outcome': 'dead' });
  });

  it('is asked for nothing where no provider is registered, and from the moment that one is', async () => {
    trace.disable();
    @Job()
    class Work {
      run(): void {}
    }
    const { jobs, catalog, advance } = await startApp({ providers: [Work] });
    const { id } = await jobs.enqueue(Work, undefined, { keep: '1h' });
    await advance(0);
    expect(await catalog.task(id)).toMatchObject({ state: 'succeeded', extra: {} });
    expect(telemetry.spans()).toEqual([]);
    const { BasicTracerProvider } = await import('@opentelemetry/sdk-trace-base');
    trace.setGlobalTracerProvider(new BasicTracerProvider());
    const later = await jobs.enqueue(Work, undefined, { keep: '1h' });
    await advance(0);
    expect((await catalog.task(later.id))!.extra).toMatchObject({
      trace: { traceparent: expect.any(String) },
    });
  });
});
