import { InvalidOptionError } from '../task/errors.js';
import type { JobDefinition } from './job-definition.js';

/** Names of groups may be made by calls: of those the latest are remembered. */
const mostByCalls = 10_000;

interface Member {
  readonly where: string;
  /** The first in which it was seen. */
  readonly queue: string;
}

/** The jobs of a group by their stored names. */
type Members = Map<string, Member>;

/**
 * In which queue each group of unique jobs is, as far as this process knows. Locks hold within one queue: jobs of a group that
 * lay in several would not know of each other's.
 */
export class UniqueGroups {
  private readonly declared = new Map<string, Members>();
  private readonly called = new Map<string, Members>();

  constructor(private readonly limit = mostByCalls) {}

  /** A group that a job names in its code. */
  declare(group: string, definition: JobDefinition): void {
    check(group, definition, definition.queue, this.declared.get(group));
    join(this.declared, group, definition, definition.queue);
  }

  /** A group into which a call puts its task, and the queue of that task. */
  call(group: string, definition: JobDefinition, queue: string): void {
    check(group, definition, queue, this.declared.get(group));
    check(group, definition, queue, this.called.get(group));
    const isNew = !this.called.has(group);
    if (isNew && this.called.size >= this.limit) this.called.delete(this.called.keys().next().value!);
    join(this.called, group, definition, queue);
  }
}

function join(
  groups: Map<string, Members>,
  group: string,
  { name, where }: JobDefinition,
  queue: string,
): void {
  const members = groups.get(group) ?? new Map<string, Member>();
  if (!members.has(name)) members.set(name, { where, queue });
  groups.set(group, members);
}

/** One job alone may be in several queues: its calls say so themselves. */
function check(group: string, { name, where }: JobDefinition, queue: string, members?: Members): void {
  for (const [job, other] of members ?? []) {
    if (job === name || other.queue === queue) continue;
    throw new InvalidOptionError(
      where,
      'unique.group',
      group,
      `used in one queue: ${where} is in '${queue}' and ${other.where} in '${other.queue}'`,
    );
  }
}
