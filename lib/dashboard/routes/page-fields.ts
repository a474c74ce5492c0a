import { apiBounds, type Ref } from '../api/basics.js';
import type { Fields } from '../http/fields.js';

const usualPage = 50;
/** A search answers by then with what it has, and the page goes on: nobody looks at nothing for long. */
export const within = 75;

/** Which part of a list is wanted. */
export function pageOf(fields: Fields): { limit: number; after?: string; within: number } {
  return {
    within,
    limit: fields.integer('limit', 1, apiBounds.pageSize) ?? usualPage,
    after: fields.cursor('after'),
  };
}

/** A task or schedule by queue and id, or by its id alone. */
export function nameOf(fields: Fields): string | Ref {
  const [queue, id] = [fields.text('queue'), fields.requiredText('id')];
  return queue === undefined ? id : { queue, id };
}
