import {
  floats,
  floatsPerRow,
  idBytesPerRow,
  ints,
  intsPerRow,
  rowsPerSegment,
  Segment,
  segmentBytes,
} from './board-layout.js';

/**
 * What this process holds, in memory that it shares with the lease thread: no message is sent per task. A row's version is
 * odd while the row is written, so that the other side never takes half a row for a whole one.
 */
export class LeaseBoard {
  /** One moment: the latest sign of life of the main event loop. */
  readonly header = new SharedArrayBuffer(8);
  private readonly alive = new Float64Array(this.header);
  private readonly segments: Segment[] = [];
  private readonly free: number[] = [];

  /** `grown` is told of each further segment; the first is there from the beginning. */
  constructor(private readonly grown: (buffer: SharedArrayBuffer) => void) {
    this.grow();
  }

  get buffers(): SharedArrayBuffer[] {
    return this.segments.map(({ buffer }) => buffer);
  }

  set aliveAt(at: number) {
    this.alive[0] = at;
  }

  hold(queue: number, id: string, epoch: number): number {
    if (this.free.length === 0) this.grown(this.grow());
    const row = this.free.pop()!;
    const segment = this.segmentOf(row);
    const at = row % rowsPerSegment;
    this.turn(segment, at);
    segment.ints[at * intsPerRow + ints.queue] = queue;
    segment.ints[at * intsPerRow + ints.idBytes] = segment.ids.write(id, at * idBytesPerRow, idBytesPerRow);
    segment.floats[at * floatsPerRow + floats.epoch] = epoch;
    segment.floats[at * floatsPerRow + floats.deadlineAt] = Infinity;
    this.turn(segment, at);
    return row;
  }

  release(row: number): void {
    const segment = this.segmentOf(row);
    const at = row % rowsPerSegment;
    this.turn(segment, at);
    segment.ints[at * intsPerRow + ints.idBytes] = 0;
    this.turn(segment, at);
    this.free.push(row);
  }

  limit(row: number, deadlineAt: number): void {
    // An aligned float is written whole on every 64-bit machine: the version need not change.
    this.segmentOf(row).floats[(row % rowsPerSegment) * floatsPerRow + floats.deadlineAt] = deadlineAt;
  }

  /** When the other side last renewed what the row holds now; -Infinity: not yet. */
  renewedAt(row: number): number {
    const segment = this.segmentOf(row);
    const at = row % rowsPerSegment;
    const renewed = Atomics.load(segment.ints, at * intsPerRow + ints.renewedVersion);
    return renewed === this.version(row) ? segment.floats[at * floatsPerRow + floats.renewedAt]! : -Infinity;
  }

  /** Another one whenever the row comes to hold something else. */
  version(row: number): number {
    return Atomics.load(this.segmentOf(row).ints, (row % rowsPerSegment) * intsPerRow + ints.version);
  }

  private turn(segment: Segment, at: number): void {
    Atomics.add(segment.ints, at * intsPerRow + ints.version, 1);
  }

  private segmentOf(row: number): Segment {
    return this.segments[Math.floor(row / rowsPerSegment)]!;
  }

  private grow(): SharedArrayBuffer {
    const segment = new Segment(new SharedArrayBuffer(segmentBytes));
    const first = this.segments.push(segment) * rowsPerSegment - rowsPerSegment;
    // The lowest is taken first: memory that no row needs is never touched.
    for (let row = first + rowsPerSegment - 1; row >= first; row--) this.free.push(row);
    return segment.buffer;
  }
}
