import type { TaskRef } from '../../task/task-record.js';
import type { BackendSettings } from '../backend.js';
import type {
  Advance,
  Advanced,
  AskedSchedules,
  DueSchedules,
  NewSchedule,
  SchedulePage,
  ScheduleRecord,
  ScheduleStore,
  SeenSchedule,
} from '../schedule-store.js';
import { addedOf } from './postgres-add-call.js';
import type { PostgresBell } from './postgres-bell.js';
import type { PostgresFunctions } from './postgres-functions.js';
import type { KnownQueues } from './postgres-queues.js';
import { cursorOf, schedulePlace } from './postgres-pages.js';
import { keepArgument, taskArgument } from './postgres-records.js';

const refsPerCall = 500;
const stepsPerCall = 100;

type ScheduleRow = [
  ...[queue: string, id: string, job: string, rule: string, template: string],
  ...[firstSlot: number, nextSlot: number, lastSlot: number | null, lastTask: string | null],
  ...[fired: number, skipped: number, isPaused: boolean, version: number, declaredAt: number | null],
];

type StepRow = [
  ...[status: 'lost' | 'advanced', added?: string | null, holder?: string | null],
  ...[overlaps?: string | null, stopped?: string | null],
];

export class PostgresSchedules implements ScheduleStore {
  constructor(
    private readonly functions: PostgresFunctions,
    private readonly bell: PostgresBell,
    private readonly queues: KnownQueues,
    private readonly settings: BackendSettings,
  ) {}

  async now(): Promise<number> {
    return (await this.functions.call('now_v1', {})) as number;
  }

  async put(
    schedule: NewSchedule,
    when: 'absent' | 'replace',
  ): Promise<'stored' | 'existing' | 'replaced' | 'passed'> {
    await this.queues.know([schedule.queue]);
    const nextSlot = schedule.nextSlot === 'now' ? undefined : schedule.nextSlot;
    const answer = await this.functions.call('put_schedule_v1', { ...schedule, nextSlot, when });
    const [status, comesNearer] = answer as ['stored' | 'existing' | 'replaced' | 'passed', boolean];
    if (comesNearer) this.bell.ringForSchedules(schedule.queue);
    return status;
  }

  async declare(refs: readonly TaskRef[]): Promise<TaskRef[]> {
    const gone: TaskRef[] = [];
    for (let from = 0; from < refs.length; from += refsPerCall) {
      const some = refs.slice(from, from + refsPerCall);
      const told = some.map(({ queue, id }) => [queue, id]);
      for (const at of (await this.functions.call('declare_v1', told)) as number[]) gone.push(some[at]!);
    }
    return gone;
  }

  async remove({ queue, id }: TaskRef, declaredAt?: number): Promise<boolean> {
    return (await this.functions.call('remove_schedule_v1', { queue, id, declaredAt })) as boolean;
  }

  async due(asked: readonly AskedSchedules[]): Promise<DueSchedules> {
    const told = [...new Map(asked.map(({ queue, skip }) => [queue, skip]))];
    const answer = await this.functions.call('due_v1', told);
    const [now, nextInMs, rows] = answer as [number, number | null, ScheduleRow[]];
    return {
      schedules: rows.map((row) => ({ ...readSchedule(row), now })),
      nextInMs: nextInMs ?? Infinity,
    };
  }

  async defer(seen: readonly SeenSchedule[], forMs: number): Promise<void> {
    if (seen.length === 0) return;
    const told = seen.map(({ queue, id, nextSlot }) => [queue, id, nextSlot]);
    await this.functions.call('defer_v1', { for: Math.round(forMs), seen: told });
  }

  async advance(advances: readonly Advance[]): Promise<Advanced[]> {
    const answers: Advanced[] = [];
    for (let from = 0; from < advances.length; from += stepsPerCall)
      answers.push(...(await this.advanceSome(advances.slice(from, from + stepsPerCall))));
    if (answers.length > 0 && answers.every(({ status }) => status === 'unanswered'))
      throw (answers[0] as Extract<Advanced, { status: 'unanswered' }>).reason;
    return answers;
  }

  async get({ queue, id }: TaskRef): Promise<ScheduleRecord | undefined> {
    const row = await this.functions.call('get_schedule_v1', { queue, id });
    return row === undefined ? undefined : readSchedule(row as ScheduleRow);
  }

  async list(queue: string, { limit, after }: { limit: number; after?: string }): Promise<SchedulePage> {
    const place = after === undefined ? undefined : schedulePlace(after);
    const answer = await this.functions.call('list_schedules_v1', { queue, limit, place });
    const [rows, end] = answer as [ScheduleRow[], string[] | null];
    const schedules = rows.map(readSchedule);
    return end ? { schedules, next: cursorOf(end) } : { schedules };
  }

  async pause({ queue, id }: TaskRef): Promise<boolean> {
    return (await this.functions.call('pause_schedule_v1', { queue, id })) as boolean;
  }

  async resume({ queue, id }: TaskRef, slot: number, nextSlot: number): Promise<'resumed' | 'lost'> {
    const isResumed = await this.functions.call('resume_schedule_v1', { queue, id, slot, nextSlot });
    if (!isResumed) return 'lost';
    this.bell.ringForSchedules(queue);
    return 'resumed';
  }

  /** One statement for several steps: what keeps it from an answer leaves those that were answered before it as they are. */
  private async advanceSome(steps: readonly Advance[]): Promise<Advanced[]> {
    const cancelledKeep = keepArgument(this.settings.cancelledKeepMs);
    try {
      await this.queues.know(steps.flatMap(({ task }) => (task ? [task.queue] : [])));
      const told = steps.map((step) => ({ ...step, task: step.task && taskArgument(step.task) }));
      const rows = await this.functions.call('advance_v1', { cancelledKeep, steps: told });
      return (rows as StepRow[]).map((row, at) => this.advanced(steps[at]!, row));
    } catch (error) {
      return steps.map(() => ({ status: 'unanswered', reason: error as Error }));
    }
  }

  private advanced({ queue }: Advance, [status, added, holder, overlaps, stopped]: StepRow): Advanced {
    if (status === 'lost') return { status };
    if (stopped === 'requested') this.bell.ring(queue, overlaps!);
    if (added === 'enqueued' || added === 'replaced') this.bell.ring(queue);
    return {
      status,
      ...(added ? { added: addedOf([added, holder]) } : undefined),
      ...(typeof overlaps === 'string' ? { overlaps } : undefined),
    };
  }
}

function readSchedule(row: ScheduleRow): ScheduleRecord {
  const [queue, id, job, rule, template, firstSlot, nextSlot, lastSlot, lastTask] = row;
  const [fired, skipped, isPaused, version, declaredAt] = row.slice(9) as [
    number,
    number,
    boolean,
    number,
    number | null,
  ];
  return {
    queue,
    id,
    job,
    rule,
    template,
    firstSlot,
    nextSlot,
    fired,
    skipped,
    isPaused,
    version,
    ...(lastSlot === null ? undefined : { lastSlot }),
    ...(lastTask === null ? undefined : { lastTask }),
    ...(declaredAt === null ? undefined : { declaredAt }),
  };
}
