import { once } from 'node:events';
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { JobCatalog, ScheduleInfo, TaskRecord, TaskState } from 'nestjs-jobs';
import { eventually, startApp } from '../support/app.js';
import { makeOwnBuild } from '../support/own-build.js';
import { newPrefix } from './fixtures/redis-jobs.js';

const url = process.env.TEST_REDIS_URL!;
const fixture = join(process.cwd(), 'test/e2e/fixtures/redis-schedule-worker.mjs');
/** A third of the time is enough to meet what goes wrong at once; TEST_LONG gives it a full minute. */
const killingMs = process.env.TEST_LONG ? 60_000 : 20_000;
const processes = 8;
const second = 1_000;

const queues = Array.from({ length: 5 }, (_, n) => `schedules-${n}`);
/**
 * Most make up for every slot: where a machine has fewer cores than there are processes, starting one makes slots late, and
 * a late slot of a second is a missed one. The others do as schedules do that say nothing.
 */
const schedules = Array.from({ length: 50 }, (_, n) => ({
  name: `EverySecond${n}`,
  queue: queues[n % queues.length]!,
  missed: n < 40 ? { all: 600 } : undefined,
}));

const workers = new Set<ChildProcess>();
/** Those that have come up. */
const atWork = new Set<ChildProcess>();
/** What those ended with that ended by themselves. */
const failed: number[] = [];
let own: Awaited<ReturnType<typeof makeOwnBuild>>;
beforeAll(async () => {
  own = await makeOwnBuild();
}, 120_000);
afterEach(killAll);
afterAll(() => own.remove());

function startWorker(prefix: string): void {
  const worker = spawn(process.execPath, [fixture, own.directory, url, prefix, JSON.stringify(schedules)], {
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  workers.add(worker);
  worker.stdout.once('data', () => atWork.add(worker));
  worker.once('exit', (code) => {
    workers.delete(worker);
    atWork.delete(worker);
    if (code !== null) failed.push(code);
  });
}

async function killAll(): Promise<void> {
  const ended = Array.from(workers, (worker) => once(worker, 'exit'));
  for (const worker of workers) worker.kill('SIGKILL');
  await Promise.all(ended);
}

/** Kills one to three at a time, whatever they are just doing, and starts as many; most have work to be torn from. */
async function killAtRandom(prefix: string, forMs: number): Promise<void> {
  let killed = 0;
  for (const until = Date.now() + forMs; Date.now() < until || killed < processes;) {
    await eventually(() => atWork.size > processes / 2, 120_000);
    await sleep(Math.random() * second);
    const victims = [...workers].sort(() => Math.random() - 0.5).slice(0, 1 + Math.floor(Math.random() * 3));
    for (const victim of victims) {
      victim.kill('SIGKILL');
      killed++;
      startWorker(prefix);
    }
    await Promise.all(victims.map((victim) => once(victim, 'exit')));
  }
}

/** All tasks that the store holds, in whatever state their runs and kills have left them. */
async function storedTasks(catalog: JobCatalog): Promise<TaskRecord[]> {
  const states: TaskState[] = ['scheduled', 'waiting', 'pending', 'succeeded', 'dead', 'cancelled', 'parked'];
  const all: TaskRecord[] = [];
  for (const queue of queues)
    for (const state of states)
      for (let page: TaskRecord[] | undefined; page?.length !== 0; all.push(...page))
        page = await catalog.tasks(queue, state, { limit: 1_000, after: page?.at(-1)?.id });
  return all;
}

/** The slots of one schedule that have a task, in order, each as often as it has one. */
function slotsWithTask({ queue, id }: ScheduleInfo, tasks: readonly TaskRecord[]): number[] {
  const own = tasks.filter((task) => task.queue === queue && task.scheduleId === id);
  return own.map(({ slot }) => slot!).sort((a, b) => a - b);
}

describe('Eight processes with fifty schedules of a second, killed and started at random', () => {
  it('make one task for each slot, none twice and none left out', async () => {
    const prefix = newPrefix();
    const { catalog } = await startApp({ options: { backend: url, prefix, runner: false }, realTime: true });
    const stored = async () => (await Promise.all(queues.map((queue) => catalog.schedules(queue)))).flat();
    for (let n = 0; n < processes; n++) startWorker(prefix);
    await eventually(async () => (await stored()).length === schedules.length);
    await killAtRandom(prefix, killingMs);
    // Whatever was killed, what is left goes on.
    const before = new Map((await stored()).map(({ id, fired }) => [id, fired]));
    await eventually(async () => (await stored()).every(({ id, fired }) => fired > before.get(id)!));
    await killAll();
    expect(failed).toEqual([]);

    const tasks = await storedTasks(catalog);
    expect(tasks.length).toBeGreaterThan((schedules.length * killingMs) / second);
    for (const schedule of await stored()) {
      const slots = slotsWithTask(schedule, tasks);
      const [first, last] = [schedule.firstSlot.getTime(), schedule.lastSlot!.getTime()];
      expect(slots.filter((slot, index) => slot === slots[index - 1])).toEqual([]);
      expect(slots.filter((slot) => slot < first || slot > last || (slot - first) % second !== 0)).toEqual(
        [],
      );
      expect(schedule.nextSlot!.getTime()).toBe(last + second);
      const { fired, skipped, missed } = schedule;
      expect(fired).toBe(slots.length);
      expect(fired + skipped).toBe((last - first) / second + 1);
      if (missed !== 'once') expect(skipped).toBe(0);
    }
  }, 300_000);
});
