import {
  floats,
  floatsPerRow,
  idBytesPerRow,
  ints,
  intsPerRow,
  rowsPerSegment,
  Segment,
} from './board-layout.js';

/** A lease as it stands on the board. */
export interface HeldLease {
  readonly row: number;
  readonly version: number;
  readonly queue: number;
  readonly id: string;
  readonly epoch: number;
  readonly deadlineAt: number;
  /** When it was last renewed; -Infinity: not yet. */
  readonly renewedAt: number;
}

/** The lease thread's side of the board: reads what the process holds, and writes down when it was renewed. */
export class BoardReader {
  private readonly alive: Float64Array;
  private readonly segments: Segment[] = [];

  constructor(header: SharedArrayBuffer) {
    this.alive = new Float64Array(header);
  }

  /** When the main event loop last gave a sign of life. */
  get aliveAt(): number {
    return this.alive[0]!;
  }

  add(buffer: SharedArrayBuffer): void {
    this.segments.push(new Segment(buffer));
  }

  held(): HeldLease[] {
    const found: HeldLease[] = [];
    for (let row = 0; row < this.segments.length * rowsPerSegment; row++) {
      const lease = this.read(row);
      if (lease) found.push(lease);
    }
    return found;
  }

  isSame({ row, version }: HeldLease): boolean {
    const at = (row % rowsPerSegment) * intsPerRow;
    return Atomics.load(this.segmentOf(row).ints, at + ints.version) === version;
  }

  renewed({ row, version }: HeldLease, renewedAt: number): void {
    const segment = this.segmentOf(row);
    const at = row % rowsPerSegment;
    segment.floats[at * floatsPerRow + floats.renewedAt] = renewedAt;
    // Last, so that whoever finds this version finds the moment that belongs to it.
    Atomics.store(segment.ints, at * intsPerRow + ints.renewedVersion, version);
  }

  /** A row that is being written, or changes meanwhile, is new and can wait for the next time. */
  private read(row: number): HeldLease | undefined {
    const segment = this.segmentOf(row);
    const at = row % rowsPerSegment;
    const version = Atomics.load(segment.ints, at * intsPerRow + ints.version);
    const idBytes = segment.ints[at * intsPerRow + ints.idBytes]!;
    if (version % 2 !== 0 || idBytes === 0) return undefined;
    const queue = segment.ints[at * intsPerRow + ints.queue]!;
    const epoch = segment.floats[at * floatsPerRow + floats.epoch]!;
    const deadlineAt = segment.floats[at * floatsPerRow + floats.deadlineAt]!;
    const isRenewed = segment.ints[at * intsPerRow + ints.renewedVersion] === version;
    const renewedAt = isRenewed ? segment.floats[at * floatsPerRow + floats.renewedAt]! : -Infinity;
    const id = segment.ids.toString('utf8', at * idBytesPerRow, at * idBytesPerRow + idBytes);
    // To add nothing, unlike to load, also keeps the reads above from being done after it.
    if (Atomics.add(segment.ints, at * intsPerRow + ints.version, 0) !== version) return undefined;
    return { row, version, queue, id, epoch, deadlineAt, renewedAt };
  }

  private segmentOf(row: number): Segment {
    return this.segments[Math.floor(row / rowsPerSegment)]!;
  }
}
