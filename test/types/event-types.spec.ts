import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import {
  Job,
  OnTask,
  type ContextOptions,
  type JobEvent,
  type JobEventOf,
  type JobEvents,
  type JobsMetrics,
} from 'nestjs-jobs';

// `tsc -p .` is what checks this file: each `@ts-expect-error` fails it where the line below compiles.

@Job()
class Work {
  run() {}
}

/** Never called: what counts is whether it compiles. */
function listeners() {
  class Listeners {
    @OnTask('dead')
    narrow({ error: { message }, origin }: JobEventOf<'dead'>) {
      return message + origin;
    }

    @OnTask('failed', 'dead', { job: Work, queue: ['mail', 'other'] })
    async several(event: JobEventOf<'failed' | 'dead'>) {
      return event.type === 'failed' ? event.retryInMs : event.error;
    }

    @OnTask('succeeded', { job: ['Work', Work] })
    wide(_event: JobEvent) {}

    @OnTask('lost')
    without() {}

    // @ts-expect-error -- an event of another type
    @OnTask('dead')
    other(_event: JobEventOf<'succeeded'>) {}

    // @ts-expect-error -- one of the types has no such event
    @OnTask('dead', 'enqueued')
    partly(_event: JobEventOf<'dead'>) {}

    // @ts-expect-error -- no such type
    @OnTask('ded')
    unknown() {}

    // @ts-expect-error -- no such filter
    @OnTask('dead', { jobs: Work })
    misspelled() {}

    // @ts-expect-error -- a filter alone
    @OnTask({ queue: 'mail' })
    untyped() {}
  }
  return Listeners;
}

/** Never called: what counts is whether it compiles. */
function streams(events: JobEvents, metrics: JobsMetrics) {
  events.stream('dead').subscribe(({ error }) => error.message);
  events
    .stream('enqueued', 'started')
    .subscribe((event) => ('waitMs' in event ? event.waitMs : event.dueInMs));
  events.all.subscribe((event) => (event.type === 'snoozed' ? event.delayMs : event.id));
  // @ts-expect-error -- what was enqueued has no error
  events.stream('enqueued').subscribe(({ error }) => String(error));
  // @ts-expect-error -- no such type
  events.stream('ded');
  // @ts-expect-error -- at least one
  events.stream();
  metrics.register(new Registry());
}

interface Tenant {
  readonly tenant: string;
}

/** The values may be typed as the application knows them. */
const context: ContextOptions = {
  capture: (): Tenant | undefined => ({ tenant: 'acme' }),
  restore<T>(value: Tenant | undefined, next: () => T): T {
    return value ? next() : next();
  },
};

const inferred: ContextOptions = { capture: () => 1, restore: (_value, next) => next() };

describe('events and context', () => {
  it('are typed, which the compiler has checked', () => {
    expect([typeof listeners, typeof streams, typeof context.restore, typeof inferred.capture]).toEqual([
      'function',
      'function',
      'function',
      'function',
    ]);
  });
});
