import type { RunCounts, RunnerReport, RunsOfJob } from '../backend/stats-store.js';
import type { Outcome, StoredError } from '../task/outcome.js';
import type { Attempt } from './attempt.js';

type Counting = { -readonly [K in keyof RunsOfJob]: RunsOfJob[K] };
type Slot = RunnerReport['slots'][number];

/** What a report tells. */
export type Tallied = Pick<RunnerReport, 'runs' | 'slots'>;

const longestError = 500;
/** Slots that one report carries, and that are remembered for a store that does not answer. */
const slotsPerReport = 1_000;
const mostSlots = 5_000;
const counted: readonly (keyof RunCounts)[] = [
  'succeeded',
  'failed',
  'dead',
  'cancelled',
  'lost',
  'runMs',
  'waitMs',
];

/** Counts how runs ended since the last report, per job and queue, and how the slots of schedules did. */
export class Tally {
  /** By job, then queue: on the way of every task no text is made of the two. */
  private runs = new Map<string, Map<string, Counting>>();
  private readonly slots = new Map<string, Slot>();

  /** To be called when the store has an outcome. A run that was lost is counted by the store itself. */
  count(attempt: Attempt, end: Outcome): void {
    const { type } = end;
    if (type !== 'succeeded' && type !== 'retry' && type !== 'dead' && type !== 'cancelled') return;
    const { claimed } = attempt;
    const runs = this.of(claimed.job, claimed.queue);
    if (type === 'retry') runs.failed++;
    else runs[type]++;
    if (type === 'dead') runs.failed++;
    if (type === 'succeeded' || type === 'retry' || type === 'dead') {
      runs.runMs += Math.round(attempt.endedAt - attempt.startedAt);
      // An epoch is drawn from the store's clock at the claim, in microseconds.
      runs.waitMs += Math.max(Math.round(claimed.epoch / 1_000 - claimed.dueAt), 0);
    }
    if ('error' in end) runs.lastError = lineOf(end.error);
    if (claimed.scheduleId !== undefined && claimed.slot !== undefined)
      this.countSlot({
        queue: claimed.queue,
        id: claimed.scheduleId,
        slot: claimed.slot,
        task: claimed.id,
        outcome: type === 'retry' ? 'failed' : type,
      });
  }

  get isEmpty(): boolean {
    return this.runs.size === 0 && this.slots.size === 0;
  }

  take(): Tallied {
    const runs = [...this.runs.values()].flatMap((queues) => [...queues.values()]);
    this.runs = new Map();
    const slots: Slot[] = [];
    for (const [name, slot] of this.slots) {
      if (slots.length === slotsPerReport) break;
      this.slots.delete(name);
      slots.push(slot);
    }
    return { runs, slots };
  }

  /** What was taken has not left: it is told another time. */
  giveBack({ runs, slots }: Tallied): void {
    for (const before of runs) {
      const now = this.of(before.job, before.queue);
      for (const name of counted) now[name] += before[name];
      now.lastError ??= before.lastError;
    }
    const since = [...this.slots.values()];
    this.slots.clear();
    for (const slot of [...slots, ...since]) this.countSlot(slot);
  }

  private of(job: string, queue: string): Counting {
    let queues = this.runs.get(job);
    if (!queues) this.runs.set(job, (queues = new Map<string, Counting>()));
    let runs = queues.get(queue);
    if (!runs) queues.set(queue, (runs = nothingOf(job, queue)));
    return runs;
  }

  /** The last thing that is known of its task; the oldest give way. */
  private countSlot(slot: Slot): void {
    const name = JSON.stringify([slot.queue, slot.id, slot.slot, slot.task]);
    this.slots.delete(name);
    this.slots.set(name, slot);
    if (this.slots.size > mostSlots) this.slots.delete(this.slots.keys().next().value!);
  }
}

function nothingOf(job: string, queue: string): Counting {
  return { job, queue, succeeded: 0, failed: 0, dead: 0, cancelled: 0, lost: 0, runMs: 0, waitMs: 0 };
}

function lineOf({ name, message }: StoredError): string {
  const line = `${name}: ${message}`.split('\n', 1)[0]!;
  return line.length > longestError ? `${line.slice(0, longestError)}…` : line;
}
