import { StoreUnavailableError } from '../../lib/backend/errors.js';
import type { Seeded } from './seeded.js';
import type { SimProcess } from './sim-process.js';
import type { Weather } from './weather.js';
import type { Kind, World } from './world.js';

/** What is not heard while a process is cut off from the store. */
export type CutOff = 'requests' | 'replies' | 'both';

type Fate = 'fine' | 'refused' | 'request lost' | 'reply lost' | 'late';

/** A call that has not arrived. */
interface OnTheWay {
  readonly lose: () => void;
}

/** Everything between processes and the store: what is late, lost, out of order or answered with an error. */
export class Network {
  /** From here on all is well. */
  isCalm = false;
  private readonly silentUntil = new Map<number, number>();
  private readonly onTheWay = new Map<SimProcess, Set<OnTheWay>>();
  private readonly lastArrivals = new Map<string, number>();

  constructor(
    private readonly world: World,
    private readonly random: Seeded,
    private readonly weather: Weather,
  ) {}

  silence(part: number, forMs: number): void {
    this.silentUntil.set(part, this.world.now + forMs);
  }

  /** What is on its way from before is lost: old connections are gone. */
  calm(): void {
    this.isCalm = true;
    this.silentUntil.clear();
    this.lastArrivals.clear();
    for (const calls of this.onTheWay.values()) for (const call of calls) call.lose();
  }

  get callsOnTheWay(): number {
    let count = 0;
    for (const calls of this.onTheWay.values()) count += calls.size;
    return count;
  }

  /** What has left a dead process may arrive or not. */
  died(process: SimProcess): void {
    for (const call of this.onTheWay.get(process) ?? []) if (this.random.chance(0.5)) call.lose();
  }

  /** Brings a call of a process to a part of the store, and its answer back; or not. */
  call<T>(
    process: SimProcess,
    part: number,
    effect: (isGivenUp: boolean, sentAt: number) => Promise<T>,
    kind: Kind = 'arrival',
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const { world } = this;
      const sentAt = world.now;
      let isAnswered = false;
      process.calls++;
      const answer = (settle: () => void) => {
        if (isAnswered) return;
        isAnswered = true;
        process.calls--;
        timeout.cancel();
        settle();
      };
      const fail = (why: string, sent: boolean) =>
        answer(() => reject(new StoreUnavailableError(`simulated: ${why}`, sent)));
      const timeout = world.after(
        this.weather.callTimeoutMs,
        () => fail('no answer', true),
        process,
        kind === 'thread' ? kind : 'timer',
      );
      const fate = this.fate();
      if (fate === 'refused') {
        const isSent = this.random.chance(0.5);
        world.after(this.delay(), () => fail('refused', isSent), process, kind);
        return;
      }
      if (fate === 'late') world.after(this.delay(), () => fail('connection reset', true), process, kind);
      const takeEffect = () =>
        void effect(isAnswered || !process.isAlive, sentAt).then((result) => {
          if (fate === 'reply lost' && this.random.chance(0.5)) return;
          const isReset = fate === 'reply lost';
          const reply = () => (isReset ? fail('reset in reply', true) : answer(() => resolve(result)));
          this.back(process, reply, kind);
        }, reject);
      if (fate !== 'request lost') this.send(process, part, takeEffect, fate === 'late');
    });
  }

  /** Brings a hint of the store to a process, or not. */
  ring(process: SimProcess, wake: () => void): void {
    const isLost =
      !this.isCalm && (this.random.chance(this.weather.bellLost) || this.isCut(process, 'replies'));
    if (!isLost) this.world.after(this.delay(), wake, process, 'arrival');
  }

  private send(process: SimProcess, part: number, takeEffect: () => void, isLate: boolean): void {
    const { world } = this;
    const calls = this.onTheWay.get(process) ?? new Set<OnTheWay>();
    this.onTheWay.set(process, calls);
    let isLost = false;
    const call = { lose: () => (isLost = true) };
    calls.add(call);
    const arrive = () => {
      const silentUntil = Math.max(
        this.silentUntil.get(part) ?? 0,
        this.isCut(process, 'requests') ? process.cutOff!.until : 0,
      );
      // What meets a silence is held up or lost.
      if (!isLost && silentUntil > world.now && this.random.chance(0.5))
        return void world.at(silentUntil + this.delay(), arrive);
      calls.delete(call);
      if (!isLost && silentUntil <= world.now) takeEffect();
    };
    world.at(this.arrivalAt(process, part, isLate), arrive);
  }

  private arrivalAt(process: SimProcess, part: number, isLate: boolean): number {
    const at =
      this.world.now + this.delay() + (isLate ? this.random.between(0, 2 * this.weather.leaseMs) : 0);
    if (!this.weather.isOrdered || isLate) return at;
    const line = `${process.name} ${part}`;
    const inTurn = Math.max(at, this.lastArrivals.get(line) ?? 0);
    this.lastArrivals.set(line, inTurn);
    return inTurn;
  }

  private back(process: SimProcess, reply: () => void, kind: Kind): void {
    const { world } = this;
    if (!this.isCut(process, 'replies')) return void world.after(this.delay(), reply, process, kind);
    if (this.random.chance(0.5)) world.at(process.cutOff!.until + this.delay(), reply, process, kind);
  }

  private isCut({ cutOff }: SimProcess, way: CutOff): boolean {
    const isNow = !this.isCalm && cutOff !== undefined && cutOff.until > this.world.now;
    return isNow && (cutOff.what === 'both' || cutOff.what === way);
  }

  private fate(): Fate {
    const { random, weather } = this;
    if (this.isCalm) return 'fine';
    if (random.chance(weather.refused)) return 'refused';
    if (random.chance(weather.requestLost)) return 'request lost';
    if (random.chance(weather.replyLost)) return 'reply lost';
    return random.chance(weather.late) ? 'late' : 'fine';
  }

  private delay(): number {
    return this.random.longTailed(0.2, this.isCalm ? 5 : this.weather.slowestMs);
  }
}
