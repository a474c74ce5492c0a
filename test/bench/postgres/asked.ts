import type { Goal } from '../side-by-side/figures.js';
import type { EnqueueWay } from '../side-by-side/measures/enqueue.js';
import type { Load } from '../side-by-side/measures/process.js';
import { ours, raw } from '../side-by-side/system.js';

/** What is measured here, ours first. */
export const systems = [ours, 'BullMQ', 'pg-boss', 'graphile-worker', 'graphile tuned', raw] as const;
type Peer = keyof typeof packages;

/** The packages that bring them. */
export const packages = {
  BullMQ: 'bullmq',
  'pg-boss': 'pg-boss',
  'graphile-worker': 'graphile-worker',
  'graphile tuned': 'graphile-worker',
};

const atLeast = (shares: Partial<Record<Peer, number>>): Goal[] =>
  Object.entries(shares).map(([to, share]) => ({ to, atLeast: share }));

export const loads: Load[] = [
  // Where pg-boss takes one job at a time it takes one a poll: 5,000 to warm up would take it most of an hour.
  { concurrency: 1, tasks: 2_000, goals: [], notFor: ['pg-boss'] },
  { concurrency: 10, tasks: 20_000, goals: [] },
  {
    concurrency: 100,
    tasks: 20_000,
    goals: atLeast({ BullMQ: 2, 'pg-boss': 2, 'graphile-worker': 1, 'graphile tuned': 1 }),
  },
  { concurrency: 1_000, tasks: 20_000, goals: [] },
];

export const ways: EnqueueWay[] = [
  {
    name: '100 awaiters',
    way: { awaiters: 100 },
    tasks: 10_000,
    goals: atLeast({ BullMQ: 10, 'pg-boss': 10, 'graphile-worker': 10 }),
  },
  { name: 'one at a time', way: { awaiters: 1 }, tasks: 2_000, goals: [] },
  {
    name: 'bulk of 10,000',
    way: { bulk: 10_000 },
    tasks: 50_000,
    goals: atLeast({ BullMQ: 1, 'pg-boss': 1, 'graphile-worker': 1 }),
  },
];

export const latencyGoals: Record<50 | 99, Goal[]> = {
  50: [
    { to: 'graphile-worker', atMost: 1 },
    { to: 'graphile tuned', atMost: 1 },
  ],
  99: [],
};

/** For two processes, for jobs with something beside a handler, for many queues. */
export const otherTasks = 20_000;

export const flatTasks = 20_000;

/** What of the pace is to be kept while an old snapshot is open. */
export const snapshotShare = 0.8;

export const uniqueTasks = 20_000;
