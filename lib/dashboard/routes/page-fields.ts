import { apiBounds, type Ref } from '../api/basics.js';
import type { Fields } from '../http/fields.js';

const usualPage = 50;

/** Which part of a list is wanted. */
export function pageOf(fields: Fields): { limit: number; after?: string } {
  return {
    limit: fields.integer('limit', 1, apiBounds.pageSize) ?? usualPage,
    after: fields.cursor('after'),
  };
}

/** A task or schedule by queue and id, or by its id alone. */
export function nameOf(fields: Fields): string | Ref {
  const [queue, id] = [fields.text('queue'), fields.requiredText('id')];
  return queue === undefined ? id : { queue, id };
}
