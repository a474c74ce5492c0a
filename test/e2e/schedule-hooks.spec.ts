import { describe, expect, it } from '@jest/globals';
import { Periodic, type Task } from 'nestjs-jobs';
import { gate } from './fixtures/gate.js';
import { start } from './fixtures/start.js';

const minute = 60_000;

describe('the enqueue hooks of a periodic job', () => {
  it('are asked by every process before, and told by the one that won after', async () => {
    const said: string[] = [];
    const hooked = (by: string) => {
      @Periodic('1m', { name: 'Hooked' })
      class Hooked {
        beforeEnqueue({ slot }: Task): void {
          said.push(`before ${by} ${slot!.getTime() - beganAt}`);
        }
        afterEnqueue(success: boolean): void {
          said.push(`after ${success}`);
        }
        run(): void {
          said.push('run');
        }
      }
      return Hooked;
    };
    const first = await start({ providers: [hooked('first')] });
    const beganAt = first.now();
    await first.advance(0);
    expect(said).toEqual(['before first 0', 'after true', 'run']);
    await start({ providers: [hooked('second')], beside: first });
    said.length = 0;
    await first.advance(minute);
    expect(said.filter((line) => line.startsWith('after'))).toEqual(['after true']);
    expect(said.filter((line) => line === 'run')).toHaveLength(1);
    expect(said).toContain(`before first ${minute}`);
  });

  it('veto a slot by false or a throw: the schedule moves on without a task', async () => {
    const said: string[] = [];
    let asked = 0;
    @Periodic('1m')
    class Moody {
      beforeEnqueue(): boolean {
        asked++;
        if (asked === 2) throw new Error('not today');
        return asked !== 1;
      }
      afterEnqueue(success: boolean): void {
        said.push(`after ${success}`);
      }
      run(): void {
        said.push('run');
      }
    }
    const app = await start({ providers: [Moody] });
    await app.advance(minute);
    expect(said).toEqual(['after false', 'after false']);
    expect(app.lines).toContainEqual(
      expect.objectContaining({
        level: 'error',
        message: expect.stringMatching(/beforeEnqueue failed: .*not today/),
      }),
    );
    await app.advance(minute);
    expect(said).toEqual(['after false', 'after false', 'after true', 'run']);
    expect(await app.catalog.schedule('Moody')).toMatchObject({ fired: 1, skipped: 2 });
  });

  it('keep only their own schedule waiting where they hang', async () => {
    const end = gate();
    const runs: string[] = [];
    @Periodic('1m')
    class Hanging {
      async beforeEnqueue(): Promise<void> {
        await end.opened;
      }
      run(): void {
        runs.push('hanging');
      }
    }
    @Periodic('1m')
    class Steady {
      run(): void {
        runs.push('steady');
      }
    }
    const app = await start({ providers: [Hanging, Steady] });
    await app.advance(2 * minute);
    expect(runs).toEqual(['steady', 'steady', 'steady']);
    end.open();
    await app.advance(minute);
    expect(runs.filter((run) => run === 'hanging').length).toBeGreaterThanOrEqual(1);
    expect(runs.filter((run) => run === 'steady')).toHaveLength(4);
  });
});
