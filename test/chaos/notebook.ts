import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromLines, toLines, type HistoryEvent } from '../history/history-event.js';

type Noted = HistoryEvent extends infer E ? (E extends { at: number } ? Omit<E, 'at'> : never) : never;

/** Milliseconds of the clock that all processes of this machine share. */
export function now(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}

/** The folder of a round: what each process has written, and what the driver adds. */
export class Notebook {
  readonly folder = mkdtempSync(join(tmpdir(), 'nestjs-jobs-chaos-'));
  private isRemoved = false;
  private readonly own = join(this.folder, 'driver.notes');

  note(event: Noted, at = now()): void {
    // What ends after the round is nobody's business any more.
    if (this.isRemoved) return;
    appendFileSync(this.own, `${JSON.stringify({ at, ...event })}\n`);
  }

  fileOf(process: string): string {
    return join(this.folder, `${process}.notes`);
  }

  /** Where a process prints what goes wrong. */
  logOf(process: string): string {
    return join(this.folder, `${process}.log`);
  }

  /** What a process wrote last; it may be cut off in the middle by its end. */
  lastOf(process: string): HistoryEvent | undefined {
    return !this.isRemoved && existsSync(this.fileOf(process))
      ? wholeLines(this.fileOf(process)).at(-1)
      : undefined;
  }

  /** What all have written, in the order in which it happened. */
  read(): HistoryEvent[] {
    if (this.isRemoved) return [];
    const files = readdirSync(this.folder).filter((file) => file.endsWith('.notes'));
    return files
      .flatMap((file) => wholeLines(join(this.folder, file)))
      .sort((one, other) => one.at - other.at);
  }

  /** Keeps the whole history in one file, and answers where. */
  keep(history: readonly HistoryEvent[]): string {
    const file = join(this.folder, 'history.jsonl');
    writeFileSync(file, toLines(history));
    return file;
  }

  remove(): void {
    this.isRemoved = true;
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function wholeLines(file: string): HistoryEvent[] {
  const text = readFileSync(file, 'utf8');
  return fromLines(text.slice(0, text.lastIndexOf('\n') + 1));
}
