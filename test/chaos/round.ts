import { setTimeout as sleep } from 'node:timers/promises';
import type { Violation } from '../history/violation.js';
import { Seeded } from '../simulation/seeded.js';
import { Auditor } from './auditor.js';
import { checkRound } from './check-round.js';
import { emptyOf } from './empty-rounds.js';
import { Crew, stallMs } from './crew.js';
import type { Fault } from './faults/fault.js';
import { figuresOf, type Figures } from './figures.js';
import { areAllBack, everyoneWithinMs } from './invariants/everyone-goes-on.js';
import { isBack, throughputWithinMs } from './invariants/throughput-is-back.js';
import { watchMachine } from './machine-watch.js';
import { Notebook } from './notebook.js';
import type { Pace } from './pace.js';
import { openEffects, rowsIn } from './stages/effects.js';
import type { Stage } from './stages/stage.js';

export interface RoundSettings {
  readonly fault: Fault;
  readonly stage: Stage;
  readonly seed: number;
  readonly pace: Pace;
  readonly build: string;
  /** Ends the round where it stands. */
  readonly signal: AbortSignal;
}

export interface RoundResult extends Figures {
  readonly seed: number;
  readonly broken: readonly Violation[];
  /** Where the history is, if something is broken. */
  readonly file?: string;
}

const restWithinMs = 90_000;
/** The sum of all limits within it, and some, on a busy machine: what takes longer hangs. */
const roundWithinMs = 900_000;
/** How long work may take to begin. */
const steadyWithinMs = 60_000;

/** Real processes at work, one fault, and what became of all that they were asked for. */
export async function playRound(settings: RoundSettings): Promise<RoundResult> {
  const { signal } = settings;
  const notebook = new Notebook();
  const round = new Round(settings, notebook);
  const end = () => void round.end();
  signal.addEventListener('abort', end);
  const unforeseen: Violation[] = [];
  try {
    await inTime(round.play(), signal);
  } catch (error) {
    signal.throwIfAborted();
    const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
    unforeseen.push({ invariant: 'a round is played to its end', what, line: 0 });
  } finally {
    signal.removeEventListener('abort', end);
    await round.end();
    if (signal.aborted) notebook.remove();
  }
  return judge(notebook, settings, unforeseen);
}

/** Whatever waits for ever is a fault of its own. */
async function inTime(playing: Promise<void>, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const limit = sleep(roundWithinMs, true, { ref: false, signal: over.signal }).catch(() => false);
  try {
    const ended = new Promise<void>((resolve) =>
      signal.addEventListener('abort', () => resolve(), { signal: over.signal }),
    );
    const isLate = await Promise.race([playing, limit, ended]);
    signal.throwIfAborted();
    if (isLate === true) throw new Error(`the round was not over within ${roundWithinMs} ms`);
  } finally {
    over.abort();
  }
}

function judge(
  notebook: Notebook,
  { seed, fault, pace }: RoundSettings,
  unforeseen: readonly Violation[],
): RoundResult {
  const history = notebook.read();
  const broken =
    unforeseen.length > 0 ? unforeseen : [...checkRound(history), ...emptyOf(history, fault, pace)];
  const figures = figuresOf(history);
  if (broken.length > 0) return { seed, broken, file: notebook.keep(history), ...figures };
  notebook.remove();
  return { seed, broken, ...figures };
}

class Round {
  private readonly crew: Crew;
  private readonly random: Seeded;
  private readonly prefix: string;
  private auditor: Auditor | undefined;
  private endWatch: (() => Promise<unknown>) | undefined;

  constructor(
    private readonly settings: RoundSettings,
    private readonly notebook: Notebook,
  ) {
    const { stage, fault, seed, pace, build } = settings;
    this.prefix = `c${seed}_${process.pid}_${Date.now().toString(36)}`;
    this.random = new Seeded(seed);
    const { prefix } = this;
    this.crew = new Crew(stage, notebook, { build, prefix, seed, pace, isProxied: fault.isProxied ?? false });
  }

  async play(): Promise<void> {
    const { crew, notebook, prefix } = this;
    const { stage, fault, pace } = this.settings;
    const { leaseMs, sweepMs, slackMs } = pace;
    notebook.note({ type: 'settings', leaseMs, sweepMs, slackMs });
    this.endWatch = watchMachine(notebook.fileOf('machine'), stallMs(pace), stage.probe);
    await openEffects(stage, prefix);
    await this.begin();
    await this.wait(pace.steadyMs / 2);
    notebook.note({ type: 'steady' });
    await this.wait(pace.steadyMs);
    await this.until(() => this.runsSinceSteady() >= pace.least.runs, steadyWithinMs);
    await Promise.all(crew.workers.map((worker) => worker.ask('usage', { when: 'before' })));
    // On a machine that is busy with other tests a lease may end by itself.
    const costsNothing = fault.costsNothing && !pace.isShort;
    notebook.note({ type: 'fault', name: fault.name, costsNothing });
    await fault.inject({ crew, stage, auditor: this.auditor!, notebook, random: this.random, pace, prefix });
    notebook.note({ type: 'healed', wallAt: Date.now() });
    await this.until(() => isBack(notebook.read()), throughputWithinMs);
    await this.until(() => areAllBack(notebook.read()), everyoneWithinMs);
    await this.rest();
    await this.look();
  }

  async end(): Promise<void> {
    await this.crew.end();
    await this.endWatch?.();
    await Promise.race([
      this.auditor?.close().catch(() => undefined),
      sleep(10_000, undefined, { ref: false }),
    ]);
    this.auditor = undefined;
  }

  private async begin(): Promise<void> {
    const { crew, prefix } = this;
    const { stage, pace, fault } = this.settings;
    const { firstVersion: version, shutdownMs } = fault;
    if (stage.backend === 'pglite') {
      await crew.startAlone();
      return;
    }
    // The first makes the schema, where there is one.
    this.auditor = await Auditor.open(stage.address, prefix);
    await Promise.all(Array.from({ length: pace.workers }, () => crew.startWorker({ version, shutdownMs })));
    await crew.startProducer();
  }

  private runsSinceSteady(): number {
    const history = this.notebook.read();
    const sinceAt = history.find((event) => event.type === 'steady')?.at ?? Infinity;
    return history.filter((event) => event.type === 'ended' && event.at >= sinceAt).length;
  }

  /** Or until the time is over: what follows from that the checker says. */
  private async until(isSo: () => boolean, withinMs: number): Promise<void> {
    const until = Date.now() + withinMs;
    while (!isSo() && Date.now() < until) await this.wait(250);
  }

  private async rest(): Promise<void> {
    const { crew, notebook, auditor } = this;
    await crew.producer.ask('finish');
    // Where only one process has the store, that one looks.
    if (!auditor) await crew.producer.ask('rest', { withinMs: restWithinMs });
    else if (!(await auditor.restWithin(restWithinMs))) return;
    // What the last runs have to say after they were settled.
    await this.wait(100);
    notebook.note({ type: 'rest' });
    await this.wait(2 * this.settings.pace.sweepMs);
    await Promise.all(crew.workers.map((worker) => worker.ask('usage', { when: 'after' })));
  }

  private async look(): Promise<void> {
    const { crew, notebook, prefix } = this;
    await crew.stop();
    // First, since only one at a time can have a store that is in its process.
    const rows = await rowsIn(this.settings.stage, prefix);
    this.auditor ??= await Auditor.open(this.settings.stage.address, prefix);
    await this.auditor.write(notebook, rows);
  }

  private wait(ms: number): Promise<void> {
    return sleep(ms, undefined, { signal: this.settings.signal });
  }
}
