import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Seeded } from '../simulation/seeded.js';
import { Member, type MemberSettings } from './member.js';
import { now, type Notebook } from './notebook.js';
import { longRuns } from './long-runs.js';
import { OwnWay } from './own-way.js';
import type { Pace } from './pace.js';
import type { Stage } from './stages/stage.js';

type Choice = Partial<Pick<MemberSettings, 'crashAt' | 'clockMs' | 'version'>> & {
  readonly shutdownMs?: number;
};

export interface CrewSettings {
  readonly build: string;
  readonly prefix: string;
  readonly seed: number;
  readonly pace: Pace;
  /** Whether each process reaches the store through proxies of its own. */
  readonly isProxied: boolean;
}

/** A handler is told a tenth of the lease before its end: half of that is a stall that counts. */
export function stallMs({ leaseMs }: Pace): number {
  return leaseMs / 20;
}

/** All processes of a round. */
export class Crew {
  private readonly members: Member[] = [];
  private started = 0;
  private isOver = false;

  constructor(
    private readonly stage: Stage,
    private readonly notebook: Notebook,
    private readonly settings: CrewSettings,
  ) {}

  /** Those that work and live, whether or not they are about to stop. */
  get workers(): Member[] {
    return this.members.filter(({ isAlive, isWorker }) => isAlive && isWorker);
  }

  get producer(): Member {
    return this.members.findLast(({ settings }) => settings.produce !== undefined)!;
  }

  get alive(): Member[] {
    return this.members.filter(({ isAlive }) => isAlive);
  }

  /** One that is in the middle of a run, and will be for some time: what happens to it shows. */
  async busyWorker(random: Seeded): Promise<Member> {
    const { leaseMs } = this.settings.pace;
    const until = Date.now() + 30_000;
    while (Date.now() < until) {
      const since = longRuns(this.notebook.read(), now());
      const busy = this.workers.filter(({ name, isSteady }) => {
        const forMs = since.get(name) ?? 0;
        return isSteady && forMs > 0.1 * leaseMs && forMs < 0.8 * leaseMs;
      });
      if (busy.length > 0) return random.pick(busy);
      await sleep(20);
    }
    throw new Error('no worker was in the middle of a run for 30 s');
  }

  /** One process that does all, where the store has room for one only. */
  startAlone({ crashAt }: Choice = {}): Promise<Member> {
    return this.start('w', { runner: this.runner({}), produce: this.produce(), crashAt });
  }

  startWorker(choice: Choice = {}): Promise<Member> {
    const { crashAt, clockMs, version } = choice;
    return this.start('w', { runner: this.runner(choice), crashAt, clockMs, version });
  }

  startProducer({ crashAt, clockMs }: Choice = {}): Promise<Member> {
    return this.start('p', { runner: false, produce: this.produce(), crashAt, clockMs });
  }

  /** From here on nothing comes through to these; answers how to say that it does again. */
  cutOff(members: readonly Member[]): () => void {
    const sinceAt = now();
    const cut = [...members];
    return () => {
      // Whoever starts meanwhile is cut off as well.
      const all = new Set([...cut, ...(members.length > 1 ? this.members : [])]);
      for (const { name } of all)
        this.notebook.note({ type: 'cut-off', process: name, forMs: now() - sinceAt }, sinceAt);
    };
  }

  async stop(members: readonly Member[] = this.alive): Promise<void> {
    const all = Promise.all(members.map((member) => member.stop()));
    await Promise.race([all, sleep(2 * this.stopLimitMs, undefined, { ref: false })]);
    for (const { isAlive, name } of members) if (isAlive) this.notebook.note({ type: 'hung', process: name });
  }

  /** The drain itself, then what waits for the store, then the machine. */
  private get stopLimitMs(): number {
    const { shutdownMs, leaseMs, stopSlackMs } = this.settings.pace;
    return shutdownMs + 11_000 + leaseMs + stopSlackMs;
  }

  /** Whatever state they are in. */
  async end(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.alive.map((member) => member.kill()));
    for (const { way } of this.members) await way?.close();
    this.members.length = 0;
  }

  private runner({ shutdownMs }: Choice) {
    const { leaseMs, sweepMs, concurrency, shutdownMs: usualMs } = this.settings.pace;
    return { lease: leaseMs, pollInterval: sweepMs, concurrency, shutdownTimeout: shutdownMs ?? usualMs };
  }

  private produce() {
    const { seed, pace } = this.settings;
    const isTransactional = ['postgres', 'pglite'].includes(this.stage.backend);
    const longMs = Math.round(1.3 * pace.leaseMs);
    return { seed: seed + this.started, everyMs: pace.enqueueEveryMs, longMs, isTransactional };
  }

  private async start(
    kind: string,
    choice: Omit<Partial<MemberSettings>, 'runner'> & Pick<MemberSettings, 'runner'>,
  ): Promise<Member> {
    const { build, prefix, pace, isProxied } = this.settings;
    const name = `${kind}${++this.started}`;
    const way = isProxied ? await OwnWay.to(this.stage) : undefined;
    const store = way?.address ?? this.stage.address;
    const { stopLimitMs } = this;
    const limits = { leastStallMs: stallMs(pace), hangLimitMs: 5_000 + pace.stopSlackMs };
    const enqueueTimeout = pace.enqueueTimeoutMs;
    const common = { name, build, store, prefix, stopLimitMs, enqueueTimeout, ...limits };
    const member = new Member({ ...common, ...choice, version: choice.version ?? 2 }, this.notebook, way);
    this.members.push(member);
    if (this.isOver) await member.kill();
    await member.ready();
    if (!member.isAlive && member.settings.crashAt === undefined && !this.isOver)
      throw new Error(
        `${name} did not start: ${readFileSync(this.notebook.logOf(name), 'utf8').slice(0, 1_000)}`,
      );
    return member;
  }
}
