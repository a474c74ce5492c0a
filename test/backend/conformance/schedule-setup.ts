import type { Advance, Advanced, NewSchedule, StoreSlot } from '../../../lib/backend/schedule-store.js';
import type { Bundle, Setup } from './setup.js';

export const minute = 60_000;
export const hour = 60 * minute;

/** A step of the schedule as it is, where no version is said. */
export type Step = Omit<Advance, 'version'> & { readonly version?: number };

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
    schedules.put(schedule(id, nextSlot, fields), 'replace');
  /** A step to the next minute, with a task. */
  const step = (id: string, slot: number, fields: Partial<Advance> = {}): Step => ({
    queue,
    id,
    slot,
    passes: slot,
    nextSlot: slot + minute,
    task: task({ scheduleId: id, slot }),
    overlap: 'queue',
    skipped: 0,
    ...fields,
  });
  const advanceAll = async (steps: readonly Step[]): Promise<Advanced[]> => {
    const read = steps.map(async (one): Promise<Advance> => {
      return { ...one, version: one.version ?? (await schedules.get(one))?.version ?? 0 };
    });
    return schedules.advance(await Promise.all(read));
  };
  const advanceOne = async (one: Step): Promise<Advanced> => (await advanceAll([one]))[0]!;
  const due = (queues: readonly string[] = [queue]) =>
    schedules.due(queues.map((name) => ({ queue: name, skip: 0 })));
  const dueIds = async (queues?: readonly string[]) => (await due(queues)).schedules.map(({ id }) => id);
  // A copy, as for tasks.
  const read = async (id: string, inQueue = queue) =>
    structuredClone(await schedules.get({ queue: inQueue, id }));
  const ref = (id: string) => ({ queue, id });

  return { ...bundle, schedules, schedule, put, step, advanceAll, advanceOne, due, dueIds, read, ref };
}
