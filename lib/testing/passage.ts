import type { EndlessWorkError } from './errors.js';
import { nap, turn } from './real-time.js';
import { RealWait } from './real-wait.js';
import type { TestStore } from './test-store.js';
import type { ResolvedTesting } from './testing-options.js';
import type { VirtualClock } from './virtual-clock.js';

/** A runner's step takes a few turns of the event loop: after so many without anything new there is nothing more to come. */
const quietTurns = 4;
/** From then on whoever runs waits for the outside world, and need not be looked at in every turn. */
const busyTurns = 200;
const dayMs = 86_400_000;

/** Lets virtual time pass, and at each moment on the way all that is due come to its end. */
export class Passage {
  private readonly hangers = new Set<string>();
  /** Runs that are behind us; what comes beyond the limit comes without end. */
  private base = 0;
  private turns: Promise<unknown> = Promise.resolve();
  private readonly waited: RealWait;
  private progressAt = -1;
  private busy = 0;
  private isOver = false;

  constructor(
    private readonly store: TestStore,
    private readonly clock: VirtualClock,
    private readonly settings: Pick<ResolvedTesting, 'patienceMs' | 'limit'>,
    private readonly says: {
      readonly endless: (why: string) => Promise<EndlessWorkError>;
      /** Nobody lets anything run any more, until the next call does. */
      readonly ended: () => void;
    },
  ) {
    this.waited = new RealWait(settings.patienceMs);
  }

  /** Whether somebody lets something run. */
  get isBusy(): boolean {
    return this.busy > 0;
  }

  /** Moves on by `ms`; everything due on the way happens at its own time. */
  advance(ms: number): Promise<void> {
    return this.alone({ tasks: true, schedules: true }, async () => {
      const endsAt = this.clock.now() + ms;
      await this.calm();
      while (this.clock.nextAt <= endsAt) await this.step();
      this.clock.moveTo(endsAt);
    });
  }

  /** Runs tasks, and moves on to those that are due later, until none is left. Schedules fire nothing meanwhile. */
  drain(): Promise<void> {
    return this.alone({ tasks: true, schedules: false }, async () => {
      const { limit } = this.settings;
      const base = this.store.runs;
      let [progressAt, since] = [this.store.progressAt, this.clock.now()];
      for (await this.calm(); ; await this.step()) {
        const live = await this.store.live();
        if (live.waiting + live.scheduled + live.pending === 0) return;
        if (this.store.runs - base > limit) throw await this.says.endless(`more than ${limit} runs`);
        if (this.store.progressAt !== progressAt)
          [progressAt, since] = [this.store.progressAt, this.clock.now()];
        const isStuck = live.scheduled === 0 && this.clock.now() - since > dayMs;
        if (isStuck || this.clock.nextAt === Infinity)
          throw await this.says.endless('nothing gets any further');
      }
    });
  }

  /** Waits for a run. Where that waits for time to pass, it passes, and else it stands still, however long the run takes. */
  until<T>(begin: () => Promise<T>): Promise<T> {
    return this.busily(() => this.ended(begin));
  }

  /** Nobody moves the clock from here: whoever still waits for a run does so without us. */
  end(): void {
    this.isOver = true;
  }

  private async ended<T>(begin: () => Promise<T>): Promise<T> {
    const { timersSet } = this.clock;
    const waited = new RealWait(this.settings.patienceMs);
    const work = begin();
    const state = { isOver: false };
    const over = () => void (state.isOver = true);
    work.then(over, over);
    const until = this.clock.now() + dayMs;
    for (let turns = 0; !state.isOver && !this.isOver; turns++) {
      await (turns < busyTurns ? turn() : nap());
      const isWaiting = !state.isOver && waited.isOver();
      if (isWaiting && this.clock.nextAt < until && this.clock.isWaitedForSince(timersSet)) this.clock.step();
    }
    return work;
  }

  /** One after the other: two that move the clock would each be surprised by the other. */
  private alone(doors: { tasks: boolean; schedules: boolean }, act: () => Promise<void>): Promise<void> {
    const turn = this.turns.then(async () => {
      this.base = this.store.runs;
      this.store.open(doors);
      if (this.store.running.size === 0) this.waited.settle();
      try {
        await this.busily(act);
      } finally {
        this.store.shut();
      }
    });
    this.turns = turn.catch(() => undefined);
    return turn;
  }

  private async busily<T>(act: () => Promise<T>): Promise<T> {
    this.busy++;
    try {
      return await act();
    } finally {
      if (--this.busy === 0) this.says.ended();
    }
  }

  private async step(): Promise<void> {
    const before = this.clock.now();
    this.clock.step();
    // All of one moment: who looks at one alone would wait in vain for the others.
    this.clock.fireDue();
    if (this.clock.now() !== before) this.base = this.store.runs;
    await this.calm();
  }

  /** Returns when nothing more happens without time passing; or when what runs seems to wait for just that. */
  private async calm(): Promise<void> {
    const { store } = this;
    let seen = -1;
    for (let turns = 0, quiet = 0; quiet < quietTurns; turns++) {
      await (turns < busyTurns || quiet > 0 ? turn() : nap());
      this.clock.fireDue();
      if (store.runs - this.base > this.settings.limit)
        throw await this.says.endless(`more than ${this.settings.limit} runs without time passing`);
      const isIdle = store.activity === seen || (await store.isIdle());
      if (store.progressAt !== this.progressAt) this.waited.begin();
      this.progressAt = store.progressAt;
      if (isIdle || this.isPatienceOver()) quiet++;
      else quiet = 0;
      seen = isIdle ? store.activity : -1;
    }
    for (const { job } of store.running.values()) this.hangers.add(job);
    if (store.running.size === 0) this.waited.settle();
  }

  private isPatienceOver(): boolean {
    const { running } = this.store;
    return this.waited.isOver(
      running.size > 0 && [...running.values()].every(({ job }) => this.hangers.has(job)),
    );
  }
}
