/** A segment of the board has room for so many leases; when all are taken, a further segment is added. */
export const rowsPerSegment = 1_024;

/** Of each row, as 32-bit integers. */
export const ints = { version: 0, queue: 1, idBytes: 2, renewedVersion: 3 };
export const intsPerRow = 4;

/** Of each row, as 64-bit floats. */
export const floats = { epoch: 0, deadlineAt: 1, renewedAt: 2 };
export const floatsPerRow = 3;

/** An id has up to 255 characters, each of up to three bytes. */
export const idBytesPerRow = 768;

const floatsStart = rowsPerSegment * intsPerRow * 4;
const idsStart = floatsStart + rowsPerSegment * floatsPerRow * 8;
export const segmentBytes = idsStart + rowsPerSegment * idBytesPerRow;

/** One buffer of the board, seen as what it holds: all integers, then all floats, then all ids. */
export class Segment {
  readonly ints: Int32Array;
  readonly floats: Float64Array;
  readonly ids: Buffer;

  constructor(readonly buffer: SharedArrayBuffer) {
    this.ints = new Int32Array(buffer, 0, rowsPerSegment * intsPerRow);
    this.floats = new Float64Array(buffer, floatsStart, rowsPerSegment * floatsPerRow);
    this.ids = Buffer.from(buffer, idsStart);
  }
}
