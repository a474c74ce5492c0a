import { describe, expect, it } from '@jest/globals';
import { Inject, Scope } from '@nestjs/common';
import { Job, LeaseLostError, ShutdownError, TaskCancelledError, type Task } from 'nestjs-jobs';
import { gate, type Gate } from './fixtures/gate.js';
import { start, type Started } from './fixtures/start.js';
import { down, TroubledStore } from './fixtures/troubled-store.js';

const second = 1_000;
const SLOW = Symbol('slow');

/** Params that pass at enqueue, and whose check before the run lasts until the gate opens. */
function slowSchema({ opened }: Gate) {
  let checks = 0;
  return {
    '~standard': {
      version: 1 as const,
      vendor: 'test',
      validate: (value: unknown) =>
        ++checks === 1 ? { value: value as string } : opened.then(() => ({ value: value as string })),
    },
  };
}

/** What keeps a handler from being there, until the gate opens. */
const delays: [string, (ready: Gate) => { options: object; provider: object }][] = [
  [
    'its params are checked',
    (ready) => ({ options: { params: slowSchema(ready) }, provider: { provide: SLOW, useValue: 1 } }),
  ],
  [
    'its request-scoped instance is made',
    (ready) => ({
      options: { scope: Scope.REQUEST },
      provider: { provide: SLOW, scope: Scope.REQUEST, useFactory: () => ready.opened },
    }),
  ],
];

/** What may be said to a task meanwhile. */
const ends: [string, (app: Started, id: string) => Promise<unknown>, new (...args: never[]) => Error][] = [
  ['cancelled', ({ catalog }, id) => catalog.cancel(id), TaskCancelledError],
  ['told of a drain that ends', async ({ app }) => void app.close(), ShutdownError],
  ['told of a lease that cannot be renewed', ({ advance }) => advance(19 * second), LeaseLostError],
];

describe.each(delays)('a task that, while %s,', (_, delay) => {
  it.each(ends)('is %s finds its signal aborted', async (what, end, reason) => {
    const ready = gate();
    const { options, provider } = delay(ready);
    const troubled = new TroubledStore();
    const signals: AbortSignal[] = [];
    @Job({ name: 'Slow', ...options })
    class Slow {
      constructor(@Inject(SLOW) _: unknown) {}
      run(_: string, { signal }: Task<string>): void {
        signals.push(signal);
        signal.throwIfAborted();
      }
    }
    const app = await start({
      providers: [Slow, provider as never],
      before: troubled.before,
      options: { runner: { shutdownTimeout: 0 } },
    });
    const { id } = await app.jobs.enqueue(Slow, 'p');
    await app.advance(0);
    expect((await app.catalog.task(id))?.state).toBe('pending');
    troubled.trouble.renew = down;
    await end(app, id);
    await app.advance(0);
    expect(signals).toEqual([]);
    ready.open();
    await app.advance(0);
    expect(signals[0]?.reason).toBeInstanceOf(reason);
    if (what === 'cancelled') expect((await app.catalog.task(id))?.state).toBe('cancelled');
  });
});
