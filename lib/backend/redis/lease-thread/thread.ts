import { createRequire } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import type * as Ioredis from 'ioredis';
import { BoardReader, type HeldLease } from './board-reader.js';
import { monotonicMs } from './monotonic.js';
import { Renewals } from './renewals.js';
import { threadClient } from './thread-client.js';
import type { ThreadData, ThreadMessage } from './thread-data.js';

// The lease thread: renews what stands on the board, also while the main event loop is blocked. This file and what it
// imports are embedded as text (`npm run embed`) and run from there.
const data = workerData as ThreadData;
const { leaseMs, blockedAfterMs, blockedLimitMs } = data;

const board = new BoardReader(data.header);
for (const buffer of data.buffers) board.add(buffer);
parentPort!.on('message', (buffer: SharedArrayBuffer) => board.add(buffer));

const client = threadClient(createRequire(data.ioredis)(data.ioredis) as typeof Ioredis, data);
let connectionError: Error | undefined;
client.on('error', (error: Error) => (connectionError = error));
const renewals = new Renewals(client, data);

let failingSince: number | undefined;
let isTold = false;

function tell(message: ThreadMessage): void {
  parentPort!.postMessage(message, []);
}

/** Nothing of an event loop that is blocked for too long; and of a blocked one no run past its timeout. */
function leasesToRenew(): HeldLease[] {
  const now = monotonicMs();
  const silentMs = now - board.aliveAt;
  if (silentMs > blockedLimitMs) return [];
  return board.held().filter(({ deadlineAt }) => silentMs <= blockedAfterMs || deadlineAt > now);
}

async function renewAll(): Promise<void> {
  const leases = leasesToRenew();
  if (leases.length === 0) return;
  const sentAt = monotonicMs();
  await renewals.renew(leases, (lease, letter) => {
    // Settled meanwhile, and no longer ours to speak of.
    if (!board.isSame(lease)) return;
    const { row, version } = lease;
    if (letter !== 'l') board.renewed(lease, sentAt);
    if (letter !== 'k') tell({ type: letter === 'l' ? 'lost' : 'cancelled', row, version });
  });
}

function succeeded(): void {
  failingSince = undefined;
  if (isTold) tell({ type: 'recovered' });
  isTold = false;
}

function failed(error: unknown): void {
  failingSince ??= monotonicMs();
  // What is over in a moment is not worth a line: the main event loop renews, too.
  if (isTold || monotonicMs() - failingSince < leaseMs / 3) return;
  isTold = true;
  const cause = client.status === 'ready' ? error : (connectionError ?? error);
  tell({ type: 'trouble', why: cause instanceof Error ? cause.message : String(cause) });
}

async function keepRenewing(): Promise<void> {
  const beganAt = monotonicMs();
  try {
    await renewAll();
    succeeded();
  } catch (error) {
    failed(error);
  }
  const pauseMs = failingSince === undefined ? leaseMs / 3 : leaseMs / 12;
  setTimeout(() => void keepRenewing(), Math.max(pauseMs - (monotonicMs() - beganAt), 0));
}

void keepRenewing();
