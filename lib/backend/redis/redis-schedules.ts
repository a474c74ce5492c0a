import type { NewTask, TaskRef } from '../../task/task-record.js';
import type { Advanced, DueSchedules, NewSchedule, ScheduleRecord, ScheduleStore } from '../backend.js';
import type { RedisConnection } from './redis-connection.js';
import { taskArguments, unitSeparator } from './redis-records.js';
import { addedOf } from './redis-add.js';

const duePerCall = 1_000;

export class RedisSchedules implements ScheduleStore {
  constructor(private readonly connection: RedisConnection) {}

  async put(
    { queue, id, job, rule, nextSlot }: NewSchedule,
    replace = false,
  ): Promise<'stored' | 'existing' | 'replaced'> {
    const args = ['put', id, nextSlot, replace ? 1 : 0, job + unitSeparator + rule];
    return (await this.connection.run('schedule', [queue], args)) as 'stored' | 'existing' | 'replaced';
  }

  async remove({ queue, id }: TaskRef): Promise<boolean> {
    return (await this.connection.run('schedule', [queue], ['remove', id])) === 1;
  }

  async due(queues: readonly string[]): Promise<DueSchedules> {
    const answers = await Promise.allSettled(queues.map((queue) => this.dueOf(queue)));
    const replies = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    const unanswered = answers.flatMap((answer, index) =>
      answer.status === 'rejected' ? [{ queue: queues[index]!, reason: answer.reason as Error }] : [],
    );
    if (replies.length === 0 && unanswered.length > 0) throw unanswered[0]!.reason;
    const schedules = replies.flatMap((reply) => reply.schedules).sort((a, b) => a.nextSlot - b.nextSlot);
    const now = Math.max(...replies.map((reply) => reply.now));
    const beyond = schedules.length > duePerCall ? now : Math.min(...replies.map((reply) => reply.nextSlot));
    const due = { schedules: schedules.slice(0, duePerCall), nextInMs: Math.max(beyond - now, 0), now };
    return unanswered.length > 0 ? { ...due, unanswered } : due;
  }

  async advance(
    { queue, id }: TaskRef,
    slot: number,
    nextSlot: number | undefined,
    task?: NewTask,
  ): Promise<Advanced> {
    const args = ['advance', id, slot, nextSlot ?? '', ...(task ? taskArguments(task) : [])];
    if (task) this.connection.note([queue]);
    const [status, letter, other] = (await this.connection.run('schedule', [queue], args)) as string[];
    if (status === 'lost') return { status };
    return { status: 'advanced', added: letter === undefined ? undefined : addedOf(letter, [other ?? '']) };
  }

  private async dueOf(queue: string) {
    const reply = (await this.connection.run('schedule', [queue], ['due', duePerCall])) as string[];
    const [now, beyond] = reply;
    const schedules: ScheduleRecord[] = [];
    for (let at = 2; at < reply.length; at += 4) {
      const [job, ...rule] = reply[at + 3]!.split(unitSeparator);
      schedules.push({
        queue,
        id: reply[at]!,
        job: job!,
        rule: rule.join(unitSeparator),
        nextSlot: Number(reply[at + 1]),
        lastSlot: reply[at + 2] ? Number(reply[at + 2]) : undefined,
      });
    }
    return { now: Number(now), nextSlot: beyond === 'inf' ? Infinity : Number(beyond), schedules };
  }
}
