import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from '@jest/globals';
import { BoardReader } from '../../lib/backend/lease-thread/board-reader.js';
import { rowsPerSegment } from '../../lib/backend/lease-thread/board-layout.js';
import { LeaseBoard } from '../../lib/backend/lease-thread/lease-board.js';
import { leaseThreadSource } from '../../lib/backend/redis/lease-thread-source.js';

/** A board and its other side, which learns of each further segment. */
function bothSides() {
  let growths = 0;
  const board = new LeaseBoard((buffer) => {
    growths++;
    reader.add(buffer);
  });
  const reader = new BoardReader(board.header);
  for (const buffer of board.buffers) reader.add(buffer);
  return { board, reader, growths: () => growths };
}

describe('The board of leases', () => {
  it('shows the other side what is held, and no longer what was released', () => {
    const { board, reader } = bothSides();
    expect(reader.held()).toEqual([]);
    const epoch = 1_753_000_000_123_456;
    const first = board.hold(3, 'first', epoch);
    const second = board.hold(0, 'ünï 😀', epoch + 1);
    expect(reader.held()).toMatchObject([
      { row: first, queue: 3, id: 'first', epoch, deadlineAt: Infinity },
      { row: second, queue: 0, id: 'ünï 😀', epoch: epoch + 1 },
    ]);
    board.release(first);
    expect(reader.held()).toMatchObject([{ id: 'ünï 😀' }]);
  });

  it.each(['x', 'é', '漢', '😀'])('has room for the longest id of %s', (character) => {
    const { board, reader } = bothSides();
    const id = character.repeat(255 / character.length);
    const neighbours = ['before', 'after'];
    board.hold(0, neighbours[0]!, 1);
    board.hold(0, id, 2);
    board.hold(0, neighbours[1]!, 3);
    expect(reader.held().map((lease) => lease.id)).toEqual(['before', id, 'after']);
  });

  it('tells a deadline, and when the event loop was last alive', () => {
    const { board, reader } = bothSides();
    const row = board.hold(0, 'a', 1);
    board.limit(row, 12_345.5);
    board.aliveAt = 678.25;
    expect(reader.held()).toMatchObject([{ deadlineAt: 12_345.5 }]);
    expect(reader.aliveAt).toBe(678.25);
    board.limit(row, Infinity);
    expect(reader.held()).toMatchObject([{ deadlineAt: Infinity }]);
  });

  it('uses a released row again, with nothing left of what it held', () => {
    const { board, reader } = bothSides();
    const row = board.hold(1, 'a longer id', 1);
    board.limit(row, 5);
    const [old] = reader.held();
    reader.renewed(old!, 100);
    expect(board.renewedAt(row)).toBe(100);
    expect([old, ...reader.held()].map((lease) => lease!.renewedAt)).toEqual([-Infinity, 100]);
    expect(reader.isSame(old!)).toBe(true);
    board.release(row);
    expect(board.hold(2, 'short', 2)).toBe(row);
    expect(reader.isSame(old!)).toBe(false);
    expect(board.version(row)).not.toBe(old!.version);
    expect(board.renewedAt(row)).toBe(-Infinity);
    expect(reader.held()).toMatchObject([
      { queue: 2, id: 'short', epoch: 2, deadlineAt: Infinity, renewedAt: -Infinity },
    ]);
  });

  it('does not take a late renewal of what a row held before for one of what it holds now', () => {
    const { board, reader } = bothSides();
    const row = board.hold(0, 'old', 1);
    const [old] = reader.held();
    board.release(row);
    board.hold(0, 'new', 2);
    reader.renewed(old!, 100);
    expect(board.renewedAt(row)).toBe(-Infinity);
    reader.renewed(reader.held()[0]!, 200);
    expect(board.renewedAt(row)).toBe(200);
  });

  it('grows when it is full, and not before', () => {
    const { board, reader, growths } = bothSides();
    const ids = Array.from({ length: 2 * rowsPerSegment + 1 }, (_, n) => `t${n}`);
    const rows = ids.map((id, n) => {
      expect(growths()).toBe(Math.ceil(n / rowsPerSegment) - (n === 0 ? 0 : 1));
      return board.hold(n % 7, id, n);
    });
    expect(growths()).toBe(2);
    expect(board.buffers).toHaveLength(3);
    expect(new Set(rows).size).toBe(ids.length);
    const held = reader.held();
    expect(held.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    for (const lease of held) expect(lease).toMatchObject({ id: `t${lease.epoch}`, queue: lease.epoch % 7 });
    for (const row of rows) board.release(row);
    expect(reader.held()).toEqual([]);
    for (const id of ids) board.hold(0, id, 1);
    expect(growths()).toBe(2);
  });

  it('never shows half a row to a thread that reads while it is written', async () => {
    const board = new LeaseBoard(() => undefined);
    const wanted = 50_000;
    const reads = new Int32Array(new SharedArrayBuffer(4));
    const shared = { header: board.header, buffers: board.buffers, reads, wanted };
    // The thread's own code as it is shipped, with another last line.
    const lines = leaseThreadSource.split('\n').slice(0, -1);
    const thread = new Worker([...lines, `(${readUntilEnough.toString()})()`].join('\n'), {
      eval: true,
      workerData: shared,
    });
    const answer = once(thread, 'message') as Promise<[{ torn: number; seen: Record<string, number> }]>;
    const until = Date.now() + 40_000;
    for (let n = 0; Atomics.load(reads, 0) < wanted && Date.now() < until; n++) {
      const kind = n % 2;
      board.release(board.hold(kind, kind === 0 ? 'a'.repeat(255) : 'b'.repeat(100), kind));
    }
    const [{ torn, seen }] = await answer;
    await thread.terminate();
    expect(torn).toBe(0);
    expect(Object.keys(seen).toSorted()).toEqual(['0', '1']);
  });
});

/** Runs in the thread: `find` and `load` are its own. */
function readUntilEnough(): void {
  const { parentPort, workerData } = load('node:worker_threads');
  const { BoardReader } = find('lease-thread/board-reader.js');
  const { header, buffers, reads, wanted } = workerData;
  const reader = new BoardReader(header);
  for (const buffer of buffers) reader.add(buffer);
  const seen: Record<number, number> = {};
  let torn = 0;
  while (Atomics.load(reads, 0) < wanted) {
    const lease = reader.read(0);
    if (!lease) continue;
    Atomics.add(reads, 0, 1);
    const id = lease.epoch === 0 ? 'a'.repeat(255) : 'b'.repeat(100);
    if (lease.id !== id || lease.queue !== lease.epoch) torn++;
    seen[lease.epoch] = (seen[lease.epoch] ?? 0) + 1;
  }
  parentPort.postMessage({ torn, seen }, []);
}

declare const load: (name: string) => any;
declare const find: (name: string) => any;
