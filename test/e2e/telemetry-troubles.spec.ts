import { describe, expect, it } from '@jest/globals';
import { context, propagation, trace, type ContextManager } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider, type SpanProcessor } from '@opentelemetry/sdk-trace-base';
import { Job, JobHooks } from 'nestjs-jobs';
import { startApp, type TestApp } from '../support/app.js';
import { useTelemetry } from '../support/telemetry.js';

useTelemetry();

let runs = 0;

@Job({ retries: 3, keep: '1h' })
class Work {
  run(): string {
    runs++;
    return 'done';
  }
}

const quiet: SpanProcessor = {
  onStart: () => undefined,
  onEnd: () => undefined,
  forceFlush: async () => undefined,
  shutdown: async () => undefined,
};

function broken(): never {
  throw new Error('the exporter is broken');
}

function traceBy(processor: SpanProcessor): void {
  trace.disable();
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [processor] }));
}

/** One task by itself and one of a bulk, both stored once and run once; said in one line. */
async function goesOn({ jobs, catalog, advance, lines }: TestApp): Promise<void> {
  runs = 0;
  const one = await jobs.enqueue(Work);
  const [other] = await jobs.bulk((bulk) => bulk.enqueue(Work));
  await advance(600_000);
  for (const { id } of [one, other!])
    expect(await catalog.task(id)).toMatchObject({ state: 'succeeded', attempt: 1, result: 'done' });
  expect(runs).toBe(2);
  const said = lines.filter(({ level }) => level === 'error');
  expect(said.map(({ message }) => message)).toEqual([expect.stringContaining('the exporter is broken')]);
}

describe('telemetry that throws', () => {
  it.each<[string, Partial<SpanProcessor>]>([
    ['begins', { onStart: broken }],
    ['ends', { onEnd: broken }],
  ])('when a span %s changes neither an enqueue nor a run', async (_, trouble) => {
    traceBy({ ...quiet, ...trouble });
    await goesOn(await startApp({ providers: [Work] }));
  });

  it('when a trace is taken along changes neither', async () => {
    propagation.disable();
    propagation.setGlobalPropagator({ inject: broken, extract: broken, fields: () => [] });
    await goesOn(await startApp({ providers: [Work] }));
  });

  it.each([
    ['before', false],
    ['after', true],
  ])('when a context is entered, %s the work in it, changes neither', async (_, works) => {
    const real = new AsyncLocalStorageContextManager().enable();
    const manager: ContextManager = {
      active: () => real.active(),
      bind: (...args) => real.bind(...args),
      enable: () => manager,
      disable: () => manager,
      with(within, work, self, ...args) {
        if (works) real.with(within, work, self, ...args);
        return broken();
      },
    };
    const started = await startApp({ providers: [Work] });
    context.disable();
    context.setGlobalContextManager(manager);
    await goesOn(started);
  });

  it('when it is asked for a tracer changes neither', async () => {
    trace.disable();
    trace.setGlobalTracerProvider({ getTracer: broken });
    await goesOn(await startApp({ providers: [Work] }));
  });

  it('leaves the error of an enqueue that was not stored as it is', async () => {
    @JobHooks()
    class Hooks {
      beforeEnqueue(): void {
        throw new RangeError('not today');
      }
    }
    traceBy({ ...quiet, onEnd: broken });
    const { jobs } = await startApp({ providers: [Work, Hooks], options: { runner: false } });
    await expect(jobs.enqueue(Work)).rejects.toThrow(new RangeError('not today'));
  });
});
