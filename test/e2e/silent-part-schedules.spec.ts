import { describe, expect, it } from '@jest/globals';
import { Periodic } from 'nestjs-jobs';
import { PartedSchedules } from './fixtures/parted-schedules.js';
import { start } from './fixtures/start.js';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** An application with a schedule in each of two queues, each of them in a part of the store of its own. */
async function startParted() {
  const parted = new PartedSchedules();
  const runs: { here: number[]; there: number[] } = { here: [], there: [] };
  const noting = (queue: 'here' | 'there') => {
    @Periodic('1s', { queue, name: queue })
    class Noting {
      run(): void {
        runs[queue].push(app.now() - beganAt);
      }
    }
    return Noting;
  };
  const app = await start({ providers: [noting('here'), noting('there')], before: parted.before });
  const beganAt = app.now();
  await app.advance(0);
  return { ...app, parted, runs };
}

const seconds = (from: number, count: number) => Array.from({ length: count }, (_, n) => (from + n) * second);

describe('A part of the store that is silent about its schedules', () => {
  it('does not hold up those of other parts, and is asked again with growing pauses', async () => {
    const { parted, runs, advance, lines } = await startParted();
    await advance(10 * second);
    expect(runs).toEqual({ here: seconds(0, 11), there: seconds(0, 11) });
    parted.silent.add('there');
    parted.looks.length = 0;
    await advance(minute);
    expect(runs.here).toEqual(seconds(0, 71));
    expect(runs.there).toHaveLength(11);
    const asked = parted.looks.filter((queues) => queues.includes('there')).length;
    expect(asked).toBeGreaterThan(5);
    expect(asked).toBeLessThan(25);
    const warnings = lines.filter(({ level, context }) => level === 'warn' && context === 'JobRunner');
    expect(warnings).toMatchObject([{ message: expect.stringMatching(/schedules.* there.*no word/) }]);
    parted.silent.clear();
    await advance(10 * second);
    const seen = runs.there.length;
    expect(seen).toBeGreaterThan(11);
    await advance(10 * second);
    expect(runs.there.length - seen).toBe(10);
  });

  it('does not hold up what other parts have had before, where it is silent from the start', async () => {
    const { parted, runs, runner, catalog, advance } = await startParted();
    await advance(10 * second);
    await runner.stop();
    parted.silent.add('there');
    await runner.start();
    await advance(10 * second);
    expect(runs).toEqual({ here: seconds(0, 21), there: seconds(0, 11) });
    parted.silent.clear();
    await advance(10 * second);
    expect(runs.here).toEqual(seconds(0, 31));
    expect(runs.there.length).toBeGreaterThan(15);
    expect(await catalog.schedule('there')).toMatchObject({ fired: runs.there.length });
  });

  it('is told again that its schedules are declared as soon as it speaks', async () => {
    const { parted, advance, store, now, runs } = await startParted();
    const declaredAt = async (queue: string) =>
      (await store.schedules.get({ queue, id: queue }))!.declaredAt!;
    parted.silent.add('there');
    await advance(hour + minute);
    expect(now() - (await declaredAt('here'))).toBeLessThanOrEqual(minute);
    expect(now() - (await declaredAt('there'))).toBe(hour + minute);
    expect(runs.here).toHaveLength(3_661);
    parted.silent.clear();
    await advance(10 * second);
    expect(now() - (await declaredAt('there'))).toBeLessThanOrEqual(10 * second);
  });
});
