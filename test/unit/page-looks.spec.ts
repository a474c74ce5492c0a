import { describe, expect, it } from '@jest/globals';
import { Quiet } from '../../page/src/core/quiet.js';
import { ScheduleSearch } from '../../page/src/schedules/schedule-search.js';
import { nextLook } from '../../page/src/tasks/next-look.js';

describe('A page that was refused', () => {
  it('asks nothing for a while, each time longer, whatever else is answered meanwhile', () => {
    let now = 1_000_000;
    const quiet = new Quiet(() => now);
    quiet.refused();
    quiet.answered();
    now += 4_999;
    expect(quiet.isOn).toBe(true);
    now += 1;
    expect(quiet.isOn).toBe(false);
    quiet.refused();
    quiet.answered();
    now += 9_999;
    expect(quiet.isOn).toBe(true);
    now += 1;
    quiet.answered();
    quiet.refused();
    now += 5_000;
    expect(quiet.isOn).toBe(false);
  });

  it('does what the server wishes, up to a minute', () => {
    let now = 1_000_000;
    const quiet = new Quiet(() => now);
    quiet.refused(7_000);
    now += 6_999;
    expect(quiet.isOn).toBe(true);
    now += 1;
    quiet.refused(86_400_000);
    now += 59_999;
    expect(quiet.isOn).toBe(true);
    now += 1;
    expect(quiet.isOn).toBe(false);
  });
});

describe('A list of tasks that may be out of date', () => {
  const calm = { isFast: false, isElsewhere: false, isTold: true, isRested: true };
  const failure = { isPassing: true };

  it('loads what failed, but no first page under what is selected', () => {
    expect(nextLook({ pages: 1, failure }, calm)).toBe('first');
    expect(nextLook({ pages: 2, failure, isMoreFailed: true }, { ...calm, isFast: true })).toBe('more');
    expect(nextLook({ pages: 1, failure }, { ...calm, isFast: true })).toBe('stale');
    expect(nextLook({ pages: 1, failure }, { ...calm, isFast: true, isTold: false })).toBeUndefined();
  });

  it('is loaded anew as long as it is one page, and else says that it is old', () => {
    expect(nextLook({ pages: 1 }, calm)).toBe('first');
    expect(nextLook({ pages: 2 }, calm)).toBe('stale');
    expect(nextLook({ pages: 1 }, { ...calm, isRested: false })).toBe('stale');
    expect(nextLook({ pages: 2 }, { ...calm, isTold: false })).toBeUndefined();
    expect(nextLook({ pages: 1 }, { ...calm, isElsewhere: true })).toBeUndefined();
  });
});

describe('A search for schedules that has grown tired', () => {
  /** One schedule per answer, eight in all. */
  function searching() {
    const asked: (string | undefined)[] = [];
    const pace = { isTired: true, begin: () => undefined, end: () => undefined };
    const page = async (after?: string) => {
      asked.push(after);
      const n = Number(after ?? 0);
      const schedules = [{ queue: 'q', id: `s${n}` }] as never;
      return { schedules, isComplete: false, next: n < 7 ? String(n + 1) : undefined };
    };
    return { search: new ScheduleSearch(page, pace), asked, pace };
  }
  const idsOf = ({ rows }: { rows: readonly { id: string }[] }) => rows.map(({ id }) => id);

  it('goes on where it stopped', async () => {
    const { search, asked } = searching();
    expect(idsOf(await search.again())).toEqual(['s0']);
    expect(idsOf(await search.more())).toEqual(['s0', 's1']);
    expect(idsOf(await search.more())).toEqual(['s0', 's1', 's2']);
    expect(asked).toEqual([undefined, '1', '2']);
  });

  it('looks again as far as the reader has come', async () => {
    const { search, pace } = searching();
    await search.again();
    await search.more();
    expect(idsOf(await search.again())).toEqual(['s0', 's1']);
    pace.isTired = false;
    expect(await search.more()).toMatchObject({ hasMore: false, rows: { length: 8 } });
  });
});
