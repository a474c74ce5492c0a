import { TaskCancelledError } from '../task/errors.js';
import type { TaskRecord } from '../task/task-record.js';
import { ResultMissingError, TaskDiedError } from './errors.js';

/** What a task came to: a value for whoever waits for it, or an error. */
export type ResultEnd = { readonly value: unknown } | { readonly error: Error };

/** Undefined while the task has not come to its end. */
export function resultOf(record: TaskRecord): ResultEnd | undefined {
  const { state, job, id, queue, result, reason, errors } = record;
  switch (state) {
    case 'succeeded':
      return valueOf(record, result);
    case 'dead':
      return { error: new TaskDiedError(job, queue, id, errors.at(-1)) };
    case 'cancelled': {
      const why = reason === undefined || reason === 'cancelled' ? '' : `: ${reason}`;
      return { error: new TaskCancelledError(`${job}: task ${id} was cancelled${why}`) };
    }
    default:
      return undefined;
  }
}

function valueOf({ id, queue }: TaskRecord, text: string | undefined): ResultEnd {
  try {
    return { value: text === undefined ? undefined : JSON.parse(text) };
  } catch (cause) {
    return { error: new ResultMissingError({ queue, id }, 'its stored result cannot be read', { cause }) };
  }
}
