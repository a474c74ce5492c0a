import { describe, expect, it } from '@jest/globals';
import { Job } from 'nestjs-jobs';
import { eventually } from '../support/app.js';
import { gate } from './fixtures/gate.js';
import { PartedSchedules } from './fixtures/parted-schedules.js';
import { start } from './fixtures/start.js';

const minute = 60_000;

describe('Enqueue hooks of more schedules than one look brings', () => {
  it('that take their time are waited for, not looked at without a pause', async () => {
    const end = gate();
    const looking = new PartedSchedules();
    const slots: number[] = [];
    @Job()
    class Hooked {
      beforeEnqueue(): Promise<void> {
        return end.opened;
      }
      run(n: number): void {
        slots.push(n);
      }
    }
    const app = await start({ providers: [Hooked], before: looking.before });
    await app.runner.stop();
    const count = 1_200;
    await Promise.all(
      Array.from({ length: count }, (_, n) => app.jobs.enqueue(Hooked, n, { every: '1h', id: `s${n}` })),
    );
    await app.runner.start();
    looking.looks.length = 0;
    await app.advance(minute / 2);
    expect(slots).toEqual([]);
    expect(looking.looks.length).toBeLessThan(100);
    end.open();
    await app.advance(minute);
    await eventually(() => slots.length >= count);
    expect(new Set(slots).size).toBe(count);
    expect(slots).toHaveLength(count);
  });
});
