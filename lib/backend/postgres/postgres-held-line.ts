import { setTimeout as pause } from 'node:timers/promises';
import type { NewTask } from '../../task/task-record.js';
import { StoreUnavailableError } from '../errors.js';
import { AddCall, type WaitingGroup } from './postgres-add-call.js';
import type { PostgresFunctions } from './postgres-functions.js';

/** How long one call waits for another transaction: the next in turn may be free by now. */
const patience = '20ms';
const pauseMs = 50;
/** Whoever has less time than this left is refused: a call might be cut off, and nobody would know what it did. */
const leastMs = 200;

/**
 * Groups whose id or lock another transaction has in hand, for as long as it likes. One after the other asks again, the first
 * for each such id or lock: however many wait, they take one connection from those who need not.
 */
export class HeldLine {
  private readonly lines = new Map<string, AddCall[]>();
  private isServing = false;

  constructor(
    private readonly functions: PostgresFunctions,
    private readonly closed: AbortSignal,
  ) {}

  /** Whether others wait for the same. */
  isHeld(group: readonly NewTask[]): boolean {
    return this.lines.size > 0 && this.lines.has(wantedBy(group));
  }

  add(one: WaitingGroup): void {
    const wanted = wantedBy(one.group);
    const line = this.lines.get(wanted);
    const call = new AddCall([one], undefined);
    if (line) line.push(call);
    else this.lines.set(wanted, [call]);
    if (!this.isServing) void this.serve();
  }

  /** Never rejects. */
  private async serve(): Promise<void> {
    this.isServing = true;
    while (this.lines.size > 0) {
      for (const [wanted, line] of this.lines) {
        await this.ask(line);
        if (line.length === 0) this.lines.delete(wanted);
      }
      if (this.lines.size > 0) await pause(pauseMs * (0.5 + Math.random()));
    }
    this.isServing = false;
  }

  private async ask(line: AddCall[]): Promise<void> {
    while (line.length > 0) {
      try {
        await line[0]!.make(this.functions, patience);
        line.shift();
      } catch (error) {
        const isHopeless = !(error instanceof StoreUnavailableError) || this.closed.aborted;
        const now = performance.now();
        const over = isHopeless ? line : line.filter(({ until }) => until - now < leastMs);
        for (const call of over) call.refuse(error as Error);
        return void line.splice(0, line.length, ...line.filter((call) => !over.includes(call)));
      }
    }
  }
}

/** The ids and locks that a group is after, as one name. */
function wantedBy(group: readonly NewTask[]): string {
  return JSON.stringify(
    group.flatMap(({ queue, id, token, lock }) =>
      id === token && !lock ? [] : [[queue, id === token ? '' : id, lock?.key ?? '']],
    ),
  );
}
