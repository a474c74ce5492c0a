import type { NewTask } from '../../task/task-record.js';
import { plainText } from './postgres-text.js';

/** A fresh task without an id of the caller's or a lock: nobody else can be at it. */
export function isPlain({ id, token, lock, replace }: NewTask): boolean {
  return id === token && !lock && !replace;
}

/** A plain task as `add_one_v1` gets it, behind the name of the call; what is not there is empty, and so may be what is. */
export function plainTaskTexts({ due, expires, ...task }: NewTask): string[] {
  return [
    plainText(task.queue),
    plainText(task.id),
    plainText(task.job),
    plainText(task.params),
    task.extra === undefined ? '' : `+${plainText(task.extra)}`,
    `${task.priority}`,
    msText('inMs' in due ? due.inMs : undefined),
    msText('at' in due ? due.at : undefined),
    `${task.retries}`,
    msText(expires && 'inMs' in expires ? expires.inMs : undefined),
    msText(expires && 'at' in expires ? expires.at : undefined),
    msText(task.keepMs),
    plainText(task.scheduleId ?? ''),
    msText(task.slot),
  ];
}

function msText(ms = Infinity): string {
  return Number.isFinite(ms) ? `${Math.round(ms)}` : '';
}
