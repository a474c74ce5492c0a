import type { Goal } from '../side-by-side/figures.js';
import type { EnqueueWay } from '../side-by-side/measures/enqueue.js';
import type { Load } from '../side-by-side/measures/process.js';
import { ours, raw } from '../side-by-side/system.js';

/** What is measured here, ours first. */
export const systems = [ours, 'BullMQ', '@nestjs/bullmq', 'bee-queue', raw] as const;

/** The packages that bring them. */
export const packages = { BullMQ: 'bullmq', '@nestjs/bullmq': '@nestjs/bullmq', 'bee-queue': 'bee-queue' };

const notBehindBeeQueue: Goal = { to: 'bee-queue', atLeast: 1 };
const cpuGoals: Goal[] = [{ to: 'BullMQ', atMost: 1 / 3 }];

export const loads: Load[] = [
  { concurrency: 1, tasks: 8_000, goals: [{ to: 'BullMQ', atLeast: 1.25 }, notBehindBeeQueue] },
  { concurrency: 10, tasks: 30_000, goals: [{ to: 'BullMQ', atLeast: 2 }, notBehindBeeQueue] },
  { concurrency: 100, tasks: 50_000, goals: [{ to: 'BullMQ', atLeast: 3 }, notBehindBeeQueue], cpuGoals },
  { concurrency: 1_000, tasks: 80_000, goals: [{ to: 'BullMQ', atLeast: 4 }, notBehindBeeQueue] },
];

export const ways: EnqueueWay[] = [
  {
    name: '100 awaiters',
    way: { awaiters: 100 },
    tasks: 80_000,
    goals: [{ to: 'BullMQ', atLeast: 2.5 }, notBehindBeeQueue],
    cpuGoals,
  },
  { name: 'one at a time', way: { awaiters: 1 }, tasks: 10_000, goals: [{ to: 'BullMQ', atLeast: 1 }] },
  {
    name: 'bulk of 10,000',
    way: { bulk: 10_000 },
    tasks: 100_000,
    goals: [{ to: 'BullMQ', atLeast: 3 }],
  },
];

export const latencyGoals: Record<50 | 99, Goal[]> = {
  50: [{ to: 'BullMQ', atMost: 1 }],
  99: [{ to: 'BullMQ', atMost: 1 }],
};

export const dueGoals: Goal[] = [{ to: 'BullMQ', below: 1 }];

/** For two processes, for jobs with something beside a handler, for many queues. */
export const otherTasks = 50_000;

export const flatTasks = 50_000;

export const uniqueTasks = 20_000;
