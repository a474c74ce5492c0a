import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Claim } from '../../lib/backend/backend.js';
import type { Asking } from '../../lib/runner/asking.js';
import { Intake } from '../../lib/runner/intake.js';

const never = () => -Infinity;
const none: ReadonlyMap<string, number> = new Map();
const nowhere: ReadonlySet<string> = new Set();

function intakeOf(limits: Record<string, number>, concurrency: number): Intake {
  const queues = Object.entries(limits).map(([name, concurrency]) => ({ name, concurrency }));
  return new Intake(queues, concurrency, Infinity, never);
}

/** What the store says to an asking: so many tasks of each queue, and whether each has more. */
function answer(asking: Asking, given: Record<string, number>, more: readonly string[] = []): Claim {
  const tasks = Object.entries(given).flatMap(([queue, count]) => Array(count).fill({ queue }));
  return { tasks, nextInMs: asking.queues.map(({ queue }) => (more.includes(queue) ? 0 : Infinity)) };
}

const limitsOf = (asking: Asking | undefined) =>
  Object.fromEntries(asking?.queues.map(({ queue, limit }) => [queue, limit]) ?? []);

describe('The slots of a runner', () => {
  const halvesOf = (concurrency: number, isWideFrom?: number) => {
    const { isWide, mostAtOnce } = new Intake([], concurrency, Infinity, never, isWideFrom);
    return { isWide, mostAtOnce };
  };

  it('are halved for two exchanges from eight on, or from where the store says that it is worth it', () => {
    expect(halvesOf(7)).toEqual({ isWide: false, mostAtOnce: 7 });
    expect(halvesOf(8)).toEqual({ isWide: true, mostAtOnce: 4 });
    expect(halvesOf(199, 200)).toEqual({ isWide: false, mostAtOnce: 199 });
    expect(halvesOf(200, 200)).toEqual({ isWide: true, mostAtOnce: 100 });
  });
});

describe('An asking beside another one that is under way', () => {
  it('leaves the slots of a queue to the one that asked for them first', () => {
    const intake = intakeOf({ capped: 2, busy: 64 }, 64);
    intake.sweep();
    const earlier = intake.ask(0, none, nowhere)!;
    intake.answered(earlier, answer(earlier, {}, ['capped', 'busy']), 0);
    const first = intake.ask(0, none, nowhere)!;
    expect(limitsOf(first)).toEqual({ capped: 2, busy: 32 });
    expect(limitsOf(intake.ask(0, none, nowhere))).toEqual({ busy: 32 });
    intake.failed(first, 0);
    expect(limitsOf(intake.ask(0, none, nowhere))).toEqual({ capped: 2, busy: 32 });
  });

  it('may still fill the slots that it sets free itself', () => {
    const intake = intakeOf({ capped: 2, busy: 64 }, 64);
    intake.sweep();
    const first = intake.ask(0, none, nowhere)!;
    intake.answered(first, answer(first, { capped: 2 }, ['capped', 'busy']), 0);
    expect(limitsOf(intake.ask(0, none, nowhere))).toEqual({ busy: 32 });
    expect(limitsOf(intake.ask(0, new Map([['capped', 1]]), nowhere))).toEqual({ capped: 1, busy: 31 });
  });

  it('leaves alone what the first was to set free, though another try has stored its outcomes sooner', () => {
    const intake = intakeOf({ busy: 8 }, 8);
    intake.sweep();
    for (const asking of [intake.ask(0, none, nowhere)!, intake.ask(0, none, nowhere)])
      if (asking) intake.answered(asking, answer(asking, { busy: 8 }, ['busy']), 0);
    const first = intake.ask(0, new Map([['busy', 2]]), nowhere)!;
    for (let n = 0; n < 2; n++) intake.notYetFree(first, 'busy');
    for (let n = 0; n < 2; n++) intake.release('busy');
    expect(limitsOf(intake.ask(0, none, nowhere))).toEqual({});
    intake.answered(first, answer(first, {}, ['busy']), 0);
    expect(limitsOf(intake.ask(0, none, nowhere))).toEqual({ busy: 2 });
  });

  it('is not overruled by an older one whose answer comes later', () => {
    const intake = intakeOf({ a: 64, b: 64 }, 64);
    intake.sweep();
    const earlier = intake.ask(0, none, nowhere)!;
    intake.answered(earlier, answer(earlier, {}, ['a', 'b']), 0);
    const older = intake.ask(0, none, nowhere)!;
    intake.ring('a');
    const newer = intake.ask(0, none, nowhere)!;
    intake.answered(newer, answer(newer, {}, ['a']), 0);
    intake.answered(older, answer(older, {}), 0);
    expect(intake.nextLookAt).toBe(0);
    expect(limitsOf(intake.ask(0, none, nowhere))).toEqual({ a: 32 });
  });
});

/** A runner's askings, at most two at a time: outcomes leave with each, and their slots come free once it is answered. */
class Run {
  private readonly intake: Intake;
  private readonly running = new Map<string, number>();
  private readonly open: { asking: Asking; claim: boolean; leaving: Map<string, number> }[] = [];
  /** Outcomes that were not stored at the first try. */
  private readonly again: Map<string, number>[] = [];

  constructor(
    private readonly limits: Record<string, number>,
    private readonly concurrency: number,
  ) {
    this.intake = intakeOf(limits, concurrency);
    this.intake.sweep();
  }

  ask(ends: number): void {
    if (this.open.length > 1) return;
    const leaving = new Map<string, number>();
    for (const [queue, count] of this.running) {
      const ending = Math.min(count, ends);
      if (ending > 0) leaving.set(queue, ending);
      this.running.set(queue, count - ending);
    }
    const asking = this.intake.ask(0, leaving, nowhere);
    if (asking) this.open.push({ asking, claim: true, leaving });
    else this.release(leaving);
  }

  /** As much as was asked for at most, more of the one queue than of the other. */
  claimed(place: number, share: number, more: boolean): void {
    const under = this.open.filter(({ claim }) => claim)[place];
    if (!under) return;
    const { asking } = under;
    let left = asking.limit;
    const given: Record<string, number> = {};
    for (const { queue, limit } of asking.queues) {
      given[queue] = Math.min(limit, left, Math.round(limit * share));
      left -= given[queue];
      this.running.set(queue, (this.running.get(queue) ?? 0) + given[queue]);
    }
    this.intake.answered(asking, answer(asking, given, more ? Object.keys(this.limits) : []), 0);
    under.claim = false;
    this.forget();
  }

  failed(place: number): void {
    const under = this.open.filter(({ claim }) => claim)[place];
    if (!under) return;
    this.intake.failed(under.asking, 0);
    under.claim = false;
    this.forget();
  }

  stored(place: number): void {
    const under = this.open.filter(({ claim, leaving }) => !claim && leaving.size > 0)[place];
    if (!under) return;
    this.release(under.leaving);
    under.leaving.clear();
    this.forget();
  }

  /** Outcomes were not stored, while the claim that went with them is still under way. */
  unsettled(place: number): void {
    const under = this.open.filter(({ claim, leaving }) => claim && leaving.size > 0)[place];
    if (!under) return;
    for (const [queue, count] of under.leaving)
      for (let n = 0; n < count; n++) this.intake.notYetFree(under.asking, queue);
    this.again.push(new Map(under.leaving));
    under.leaving.clear();
  }

  storedAgain(): void {
    this.release(this.again.shift() ?? none);
  }

  ring(): void {
    this.intake.sweep();
  }

  /** No limit is passed by what runs now. */
  check(): void {
    let inAll = 0;
    for (const [queue, count] of this.running) {
      if (count > this.limits[queue]!) throw new Error(`${count} of ${queue} run at once`);
      inAll += count;
    }
    if (inAll > this.concurrency) throw new Error(`${inAll} run at once`);
  }

  /** Everything is answered, and nothing runs: what it asks for is then what a new one asks for. */
  finish(): void {
    while (this.open.some(({ claim }) => claim)) this.failed(0);
    while (this.open.length > 0) this.stored(0);
    while (this.again.length > 0) this.storedAgain();
    this.release(this.running);
    expect(this.intake.used).toBe(0);
    this.intake.sweep();
    const fresh = intakeOf(this.limits, this.concurrency);
    fresh.sweep();
    const { limit, queues, reserved } = fresh.ask(0, none, nowhere)!;
    expect(this.intake.ask(0, none, nowhere)).toMatchObject({ limit, queues, reserved });
  }

  private release(leaving: ReadonlyMap<string, number>): void {
    for (const [queue, count] of leaving) for (let n = 0; n < count; n++) this.intake.release(queue);
  }

  private forget(): void {
    const left = this.open.filter(({ claim, leaving }) => claim || leaving.size > 0);
    this.open.splice(0, this.open.length, ...left);
  }
}

describe('Whatever order answers come in', () => {
  const place = fc.integer({ min: 0, max: 1 });
  const steps = fc.array(
    fc.oneof(
      fc.integer({ min: 0, max: 5 }).map((ends) => (run: Run) => run.ask(ends)),
      fc
        .tuple(place, fc.constantFrom(0, 0.5, 1), fc.boolean())
        .map((args) => (run: Run) => run.claimed(...args)),
      place.map((at) => (run: Run) => run.failed(at)),
      place.map((at) => (run: Run) => run.stored(at)),
      place.map((at) => (run: Run) => run.unsettled(at)),
      fc.constant((run: Run) => run.storedAgain()),
      fc.constant((run: Run) => run.ring()),
    ),
    { minLength: 5, maxLength: 40, size: 'max' },
  );

  it.each([40, 64, 4])('no limit is passed and no slot is forgotten, with %d in all', (concurrency) => {
    fc.assert(
      fc.property(steps, (taken) => {
        const run = new Run({ one: 1, two: 2, wide: 64 }, concurrency);
        for (const step of taken) {
          step(run);
          run.check();
        }
        run.finish();
      }),
      { numRuns: 1_000 },
    );
  });
});
