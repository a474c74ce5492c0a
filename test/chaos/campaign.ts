import { allFaults } from './faults/all-faults.js';
import type { Fault } from './faults/fault.js';
import { figuresOf } from './figures.js';
import { shortPace, usualPace } from './pace.js';
import { playRound, type RoundResult } from './round.js';
import { mayBeShared, openStage, SharedStages } from './stages/open-stage.js';
import type { BackendName } from './stages/stage.js';

export interface CampaignSettings {
  /** What can go wrong; all that there is, where it is not given. */
  readonly faults?: readonly Fault[];
  readonly form: 'short' | 'middle' | 'long';
  readonly seed: number;
  /** Of these faults only, where given; a part of a name is enough. */
  readonly only?: readonly string[];
  readonly backends?: readonly BackendName[];
  /** Rounds of each; the form decides where it is not given. */
  readonly rounds?: number;
  /** How many rounds go on side by side; they wait most of the time. */
  readonly atOnce: number;
  readonly build: string;
  readonly signal: AbortSignal;
  readonly tell: (line: string) => void;
  /** After each round, with all that was played by then. */
  readonly played?: (rows: readonly Row[]) => void;
}

/** What became of a fault on a backend. */
export interface Row {
  readonly fault: string;
  readonly backend: BackendName;
  readonly version: string;
  readonly seed: number;
  readonly results: RoundResult[];
}

const leastLongRounds = 200;

/** Which faults a campaign tries, on which backends. */
export function planOf({
  faults = allFaults,
  form,
  only,
  backends,
}: CampaignSettings): { fault: Fault; backend: BackendName }[] {
  const isWanted = ({ name }: Fault) => !only || only.some((part) => name.includes(part));
  const of = (fault: Fault) => {
    if (form === 'short') return fault.short ?? [];
    return form === 'long' && !fault.isCheap ? [] : fault.backends;
  };
  return faults
    .filter(isWanted)
    .flatMap((fault) => of(fault).map((backend) => ({ fault, backend })))
    .filter(({ fault, backend }) => !fault.impossible && (!backends || backends.includes(backend)));
}

/** What a campaign would try if the machine let it, and why it does not. */
export function leftOutOf(settings: CampaignSettings): string[] {
  const { only, faults = allFaults } = settings;
  return faults
    .filter(({ name, impossible }) => impossible && (!only || only.some((part) => name.includes(part))))
    .map(({ name, impossible }) => `left out: ${name}: ${impossible}`);
}

/** Everything that a form can try: the order of its table. */
export function orderOf(form: CampaignSettings['form']): { fault: string; backend: BackendName }[] {
  return allFaults.flatMap((fault) =>
    (form === 'short' ? (fault.short ?? []) : fault.backends).map((backend) => ({
      fault: fault.name,
      backend,
    })),
  );
}

/** Rounds of every fault on every backend, so many at once; those that were played, where it is ended early. */
export async function campaign(settings: CampaignSettings): Promise<Row[]> {
  const plan = planOf(settings);
  if (plan.length === 0)
    throw new Error('there is nothing to try: no fault has such a name on such a backend');
  for (const line of leftOutOf(settings)) settings.tell(line);
  const each = settings.form === 'long' ? Math.ceil(leastLongRounds / Math.max(plan.length, 1)) : 1;
  const rounds = settings.rounds ?? each;
  const rows = plan.map(({ fault, backend }, at): Row => {
    return { fault: fault.name, backend, seed: settings.seed + at * rounds, version: '', results: [] };
  });
  const todo = plan.flatMap((pair, at) =>
    Array.from({ length: rounds }, (_, round) => ({ ...pair, row: rows[at]!, seed: rows[at]!.seed + round })),
  );
  const shared = new SharedStages();
  const lane = async () => {
    for (let next = todo.shift(); next; next = todo.shift()) {
      settings.signal.throwIfAborted();
      const { fault, backend, row, seed } = next;
      const version = await playOn(shared, fault, backend, seed, settings, row.results);
      Object.assign(row, { version });
      settings.played?.(rows);
    }
  };
  try {
    const lanes = await Promise.allSettled(Array.from({ length: settings.atOnce }, lane));
    // Who ends it early still sees how far it came.
    if (settings.signal.aborted) return rows.filter(({ results }) => results.length > 0);
    for (const one of lanes) if (one.status === 'rejected') throw one.reason;
  } finally {
    await shared.close();
  }
  return rows;
}

async function playOn(
  shared: SharedStages,
  fault: Fault,
  backend: BackendName,
  seed: number,
  { form, build, signal, tell }: CampaignSettings,
  results: RoundResult[],
): Promise<string> {
  const isOwn = fault.hurtsServer || fault.openStage !== undefined || !mayBeShared(backend);
  const opening = fault.openStage?.(backend) ?? (isOwn ? openStage(backend) : shared.of(backend));
  const stage = await opening.catch((error: unknown) => {
    const broken = [{ invariant: 'the servers start', what: String(error), line: 0 }];
    tell(`BROKEN: ${fault.name}, ${backend}, seed ${seed}: the servers did not start: ${String(error)}`);
    results.push({ seed, broken, ...figuresOf([]) });
    return undefined;
  });
  if (!stage) return 'a server that did not start';
  const beganAt = Date.now();
  try {
    const pace = form === 'short' ? shortPace : usualPace;
    const result = await playRound({ fault, stage, seed, pace, build, signal });
    results.push(result);
    const seconds = Math.round((Date.now() - beganAt) / 100) / 10;
    const verdict = result.broken.length === 0 ? 'kept' : 'BROKEN';
    const { tasks, acknowledged, refused, extra } = result;
    const counts = `${tasks} tasks, ${acknowledged} acknowledged, ${refused} refused, ${extra} extra runs`;
    tell(`${verdict}: ${fault.name}, ${backend}, seed ${seed}: ${counts}, ${seconds} s`);
    for (const { invariant, what, line } of result.broken.slice(0, 10))
      tell(`  broken: ${invariant}: ${what}${line > 0 ? ` (line ${line})` : ''}`);
    if (result.file) tell(`  history: ${result.file}`);
  } finally {
    if (isOwn) await stage.close();
  }
  return stage.version;
}
