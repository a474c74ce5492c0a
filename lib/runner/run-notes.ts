import { keptLines, type TaskLine, type TaskNotes, type TaskProgress } from '../task/task-record.js';

/** In bytes, as all that follow. */
const longLine = 2_000;
const shortLine = 300;
const longestNote = 500;
const mostOfRun = 64 * 1024;
/** While the latest lines leave room for as many short ones, a line may be long. */
const mostWithLong = mostOfRun - keptLines * shortLine;

/** What one run has said about its task: of lines the latest, so that neither this process nor the record grows with them. */
export class RunNotes {
  private lines: TaskLine[] = [];
  private told: TaskProgress | undefined;
  private underWay: TaskNotes | undefined;
  /** The bytes of the latest lines, sent ones included: the record keeps those, too. */
  private readonly sizes: number[] = [];
  private size = 0;

  log(message: string, at: number): void {
    if (this.sizes.length === keptLines) this.size -= this.sizes.shift()!;
    const text = cut(message, this.size + longLine <= mostWithLong ? longLine : shortLine);
    const size = Buffer.byteLength(text);
    this.sizes.push(size);
    this.size += size;
    this.lines.push({ at, message: text });
    if (this.lines.length > keptLines) this.lines.shift();
  }

  progress(percent: number, note?: string): void {
    this.told = { percent, note: note === undefined ? undefined : cut(note, longestNote) };
  }

  /** What is to be sent now. Whether it has arrived is to be told by `sent` or `unsent`. */
  take(): TaskNotes | undefined {
    this.underWay = notesOf(this.lines, this.told);
    this.lines = [];
    this.told = undefined;
    return this.underWay;
  }

  sent(): void {
    this.underWay = undefined;
  }

  unsent(): void {
    const { lines = [], progress } = this.underWay ?? {};
    this.underWay = undefined;
    this.lines = [...lines, ...this.lines].slice(-keptLines);
    this.told ??= progress;
  }

  /**
   * What is left to say with an outcome. Lines that are under way are most likely ahead of it, and would stand there twice;
   * of a progress that does no harm.
   */
  get left(): TaskNotes | undefined {
    return notesOf(this.lines, this.told ?? this.underWay?.progress);
  }
}

function notesOf(lines: readonly TaskLine[], progress: TaskProgress | undefined): TaskNotes | undefined {
  if (lines.length === 0) return progress && { progress };
  return progress ? { progress, lines } : { lines };
}

/** No longer than so many bytes, and no half of a character at its end. */
function cut(text: string, most: number): string {
  // A UTF-16 unit takes at most three bytes.
  if (text.length * 3 <= most || Buffer.byteLength(text) <= most) return text;
  const mark = '…';
  const bytes = Buffer.from(text.slice(0, most));
  let end = most - Buffer.byteLength(mark);
  while ((bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end) + mark;
}
