import type { Advance, Advanced, NewSchedule, StoreSlot } from '../../../lib/backend/schedule-store.js';
import type { Bundle, Setup } from './setup.js';

export const minute = 60_000;
export const hour = 60 * minute;

export type ScheduleBundle = ReturnType<typeof scheduleBundleOf>;

/** As `setup`, for a test about schedules: `it('…', schedules(setup, async ({ … }) => { … }))`. */
export function withSchedules(
  setup: Setup,
  test: (bundle: ScheduleBundle) => Promise<void>,
): () => Promise<void> {
  return setup((bundle) => test(scheduleBundleOf(bundle)));
}

function scheduleBundleOf(bundle: Bundle) {
  const { queue, task, backend } = bundle;
  const { schedules } = backend;

  /** A schedule of the test's queue, put by a call. */
  const schedule = (id: string, nextSlot: StoreSlot, fields: Partial<NewSchedule> = {}): NewSchedule => ({
    queue,
    id,
    nextSlot,
    job: 'Report',
    rule: 'every minute',
    template: '{"params":1}',
    isDeclared: false,
    ...fields,
  });
  const put = (id: string, nextSlot: StoreSlot, fields: Partial<NewSchedule> = {}) =>
    schedules.put(schedule(id, nextSlot, fields), 'always');
  /** A step to the next minute, with a task. */
  const step = (id: string, slot: number, fields: Partial<Advance> = {}): Advance => ({
    queue,
    id,
    slot,
    nextSlot: slot + minute,
    task: task({ scheduleId: id, slot }),
    overlap: 'queue',
    skipped: 0,
    ...fields,
  });
  const advanceOne = async (one: Advance): Promise<Advanced> => (await schedules.advance([one]))[0]!;
  /** What is due in the test's queue, where nothing is forgotten. */
  const due = (queues: readonly string[] = [queue]) => schedules.due(queues, Infinity);
  const dueIds = async (queues?: readonly string[]) => (await due(queues)).schedules.map(({ id }) => id);
  // A copy, as for tasks.
  const read = async (id: string, inQueue = queue) =>
    structuredClone(await schedules.get({ queue: inQueue, id }));
  const ref = (id: string) => ({ queue, id });

  return { ...bundle, schedules, schedule, put, step, advanceOne, due, dueIds, read, ref };
}
