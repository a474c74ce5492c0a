import { describe, expect, it } from '@jest/globals';
import { Clock, Periodic, type Backend, type ClockTimer } from 'nestjs-jobs';
import { start, type Started } from './fixtures/start.js';
import { down } from './fixtures/troubled-store.js';

const second = 1_000;

/** A process whose timers come a moment early, as those of Node may by its own monotonic clock. */
class HastyClock extends Clock {
  constructor(private readonly steady: Clock) {
    super();
  }

  now(): number {
    return this.steady.now();
  }

  elapsed(): number {
    return this.steady.elapsed();
  }

  after(delayMs: number, wake: () => void): ClockTimer {
    return this.steady.after(Math.max(delayMs - 0.5, 0.25), wake);
  }
}

describe('Schedules whose store does not answer', () => {
  it('go on when it does again, also where timers come early', async () => {
    let isDown = false;
    const slots: number[] = [];
    @Periodic('1s')
    class Recurring {
      run(): void {
        slots.push(server.now());
      }
    }
    const due = (store: Backend): Partial<Backend['schedules']> => ({
      due: (...args) => (isDown ? down() : store.schedules.due(...args)),
    });
    const before = (store: Backend): Backend => ({
      ...store,
      schedules: Object.assign(Object.create(store.schedules), due(store)),
    });
    const server = await start({ options: { runner: false } });
    const beside: Started = { ...server, clock: new HastyClock(server.clock) };
    const app = await start({ providers: [Recurring], beside, before });
    await server.advance(second);
    expect(slots).toHaveLength(2);
    isDown = true;
    await server.advance(20 * second);
    isDown = false;
    await server.advance(10 * second);
    const seen = slots.length;
    await server.advance(10 * second);
    expect(slots.length - seen).toBe(10);
    const warnings = app.lines.filter(({ level, context }) => level === 'warn' && context === 'JobRunner');
    expect(warnings).toMatchObject([
      { message: expect.stringMatching(/^schedules: the job store does not answer for default/) },
    ]);
  });
});
