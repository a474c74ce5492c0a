import type { ActFilter } from '../../catalog/task-actions.js';
import type { TaskFilter as CatalogFilter } from '../../catalog/task-filter.js';
import { apiBounds, statesForAction, type Ref, type TaskAction, type TaskState } from '../api/basics.js';
import { invalidField } from '../http/api-failure.js';
import { Fields } from '../http/fields.js';

export const filterNames = ['state', 'queue', 'job', 'from', 'to', 'text', 'error'];

const states = ['pending', 'waiting', 'scheduled', 'parked', 'dead', 'cancelled', 'succeeded'] as const;
export const latestMs = 8_640_000_000_000_000;

export function readFilter(fields: Fields): CatalogFilter {
  return {
    state: fields.someOf<TaskState>('state', states),
    queue: fields.texts('queue'),
    job: fields.texts('job'),
    from: fields.integer('from', 0, latestMs),
    to: fields.integer('to', 0, latestMs),
    text: fields.text('text'),
    error: fields.text('error'),
  };
}

/** Some tasks by name, or all that a filter means. */
export type Meant = { readonly refs: readonly Ref[] } | { readonly filter: ActFilter };

/** Nothing is meant by leaving something out: a filter names states, and only such in which this can be done. */
export function readWhich(fields: Fields, action: TaskAction): Meant {
  const which = Fields.ofBody(fields.raw('which'), ['refs', 'filter'], 'which');
  if (which.has('refs') === which.has('filter')) throw invalidField('which', 'either `refs` or `filter`');
  if (which.has('refs')) return { refs: readRefs(which.raw('refs')) };
  const filter = readFilter(Fields.ofBody(which.raw('filter'), filterNames, 'which.filter'));
  const possible: readonly string[] = statesForAction[action];
  const named = filter.state as readonly TaskState[] | undefined;
  if (!named?.every((state) => possible.includes(state)))
    throw invalidField('which.filter.state', `one or more of ${possible.join(', ')} for '${action}'`);
  return { filter: { ...filter, state: named } };
}

function readRefs(value: unknown): Ref[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > apiBounds.ids)
    throw invalidField('which.refs', `a list of 1 to ${apiBounds.ids}`);
  return value.map((one, at) => {
    const ref = Fields.ofBody(one, ['queue', 'id'], `which.refs.${at}`);
    return { queue: ref.requiredText('queue'), id: ref.requiredText('id') };
  });
}
