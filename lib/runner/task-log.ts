import type { ClaimedTask, RecoveredRun } from '../backend/backend.js';
import type { JobsLog, LogFields } from '../job/jobs-log.js';
import type { LoggedEvent } from '../job/log-settings.js';
import type { Clock } from '../task/clock.js';
import type { Outcome, StoredError } from '../task/outcome.js';
import type { Redaction } from '../task/redact.js';
import { taskFields } from '../task/task-fields.js';
import type { TaskRef } from '../task/task-record.js';
import { shownParams } from './shown-params.js';

type RedactionOf = (job: string, extra: string | undefined) => Redaction | undefined;

/** The lines about a task's way, one per event. Params are among them only where that was asked for. */
export class TaskLog {
  constructor(
    private readonly log: JobsLog,
    private readonly clock: Clock,
    private readonly redactionOf: RedactionOf = () => undefined,
  ) {}

  started(claimed: ClaimedTask): void {
    if (!this.log.tells('started')) return;
    const { id, attempt, retries } = claimed;
    const again = attempt > 1 ? `, attempt ${attempt} of ${retries + 1}` : '';
    const params = this.params(claimed);
    this.tell('started', claimed, `task ${id} started${again}${params.text}`, params.fields);
  }

  succeeded(claimed: ClaimedTask, startedAt: number): void {
    if (!this.log.tells('succeeded')) return;
    const durationMs = this.since(startedAt);
    const message = `task ${claimed.id} succeeded in ${readable(durationMs)}`;
    this.tell('succeeded', claimed, message, ended('succeeded', durationMs));
  }

  /** Without a delay there is no further attempt. The error is one that may be seen. */
  failed(claimed: ClaimedTask, durationMs: number, error: StoredError, delayMs?: number): void {
    const event = delayMs === undefined ? 'dead' : 'failed';
    if (!this.log.tells(event)) return;
    const { id, attempt, retries } = claimed;
    const params = this.params(claimed);
    const what =
      `task ${id} failed in ${readable(durationMs)} (attempt ${attempt} of ${retries + 1})${params.text}: ` +
      `${error.name}: ${error.message}`;
    const fields = { ...params.fields, ...ended(delayMs === undefined ? 'dead' : 'retry', durationMs) };
    if (delayMs === undefined) return this.tell(event, claimed, `${what}; it is dead`, fields, error);
    const at = new Date(this.clock.now() + delayMs).toISOString();
    const message = `${what}; it runs again in ${readable(delayMs)}, at ${at}`;
    this.tell(event, claimed, message, { ...fields, retryInMs: delayMs }, error);
  }

  snoozed(claimed: ClaimedTask, durationMs: number, delayMs: number): void {
    if (!this.log.tells('snoozed')) return;
    const message = `task ${claimed.id} snoozed for ${readable(delayMs)}`;
    this.tell('snoozed', claimed, message, { ...ended('snoozed', durationMs), delayMs });
  }

  /** Without a duration it was not begun. */
  cancelled(claimed: ClaimedTask, durationMs?: number): void {
    this.tell('cancelled', claimed, `task ${claimed.id} was cancelled`, ended('cancelled', durationMs));
  }

  /** Not unique at its run: it is not begun. */
  rejected(claimed: ClaimedTask, holder: string): void {
    const message = `task ${claimed.id} is cancelled: task ${holder} holds its lock`;
    this.tell('rejected', claimed, message, { outcome: 'cancelled', holder });
  }

  rescheduled(claimed: ClaimedTask, holder: string, delayMs: number): void {
    if (!this.log.tells('rescheduled')) return;
    const message = `task ${claimed.id} waits ${readable(delayMs)}: task ${holder} holds its lock`;
    this.tell('rescheduled', claimed, message, { outcome: 'conflict', holder, delayMs });
  }

  parked(claimed: ClaimedTask, reason: string, why: string): void {
    const message = `task ${claimed.id} of queue ${claimed.queue} is parked (${reason}): ${why}`;
    this.tell('parked', claimed, message, { outcome: 'parked', reason });
  }

  /** Parked tasks that are to be tried by another definition of their job. */
  unparked(queue: string, count: number): void {
    const tasks = count === 1 ? 'a parked task' : `${count} parked tasks`;
    const message = `${tasks} of queue ${queue} will be tried again: the job has changed`;
    this.log.write('log', 'JobRunner', message, undefined, { event: 'unparked', queue, count });
  }

  handedBack(claimed: ClaimedTask): void {
    this.tell('handed-back', claimed, `task ${claimed.id} was handed back`, { outcome: 'handed-back' });
  }

  lost(job: string, task: TaskRef & { readonly attempt?: number }): void {
    const message = `task ${task.id}: its lease was lost, the outcome of this run does not count`;
    this.tell('lost', { ...task, job }, message, { outcome: 'lost' });
  }

  /** Of a run whose process died, or was cut off. */
  recovered(run: RecoveredRun): void {
    const { id, attempt, runner, outcome, error } = run;
    const then = { lost: 'it runs again', dead: 'it is dead', cancelled: 'it was cancelled' };
    const message = `task ${id}: runner ${runner} did not settle attempt ${attempt} before its lease ended; ${then[outcome]}`;
    this.tell(outcome, run, message, { outcome, runner }, outcome === 'dead' ? error : undefined);
  }

  private tell(
    event: LoggedEvent,
    task: Parameters<typeof taskFields>[0],
    message: string,
    fields: LogFields = {},
    error?: StoredError,
  ): void {
    const all = this.log.isStructured ? { ...taskFields(task), ...fields } : fields;
    this.log.tell(event, task.job, message, all, error);
  }

  private params({ job, params, extra }: ClaimedTask): { text: string; fields?: LogFields } {
    return this.log.showsParams ? shownParams(params, this.redactionOf(job, extra)) : nothing;
  }

  private since(startedAt: number): number {
    return Math.round(this.clock.elapsed() - startedAt);
  }
}

const nothing = { text: '' };

function ended(outcome: Outcome['type'], durationMs: number | undefined): LogFields {
  return { outcome, durationMs };
}

function readable(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 120_000) return `${Math.round(ms / 100) / 10} s`;
  return `${Math.round(ms / 6_000) / 10} min`;
}
