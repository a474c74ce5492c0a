import { InvalidOptionError } from '../task/errors.js';
import type { JobDefinition } from './job-definition.js';

/** Names of groups may be made by calls: of those the latest are remembered. */
const mostByCalls = 10_000;

interface Member {
  readonly job: string;
  readonly where: string;
  readonly queue: string;
}

/**
 * In which queue each group of unique jobs is, as far as this process knows. Locks hold within one queue: jobs of a group that
 * lay in several would not know of each other's.
 */
export class UniqueGroups {
  private readonly declared = new Map<string, Member>();
  private readonly called = new Map<string, Member>();

  constructor(private readonly limit = mostByCalls) {}

  /** A group that a job names in its code. */
  declare(group: string, definition: JobDefinition): void {
    const member = memberOf(definition, definition.queue);
    check(group, member, this.declared.get(group));
    this.declared.set(group, member);
  }

  /** A group in which a call puts its task, into this queue. */
  call(group: string, definition: JobDefinition, queue: string): void {
    const member = memberOf(definition, queue);
    const known = this.declared.get(group) ?? this.called.get(group);
    check(group, member, known);
    if (known) return;
    if (this.called.size >= this.limit) this.called.delete(this.called.keys().next().value!);
    this.called.set(group, member);
  }
}

function memberOf({ name, where }: JobDefinition, queue: string): Member {
  return { job: name, where, queue };
}

/** One job may be in several queues: it then says so itself. */
function check(group: string, { job, where, queue }: Member, other: Member | undefined): void {
  if (!other || other.job === job || other.queue === queue) return;
  throw new InvalidOptionError(
    where,
    'unique.group',
    group,
    `used in one queue: ${where} is in '${queue}' and ${other.where} in '${other.queue}'`,
  );
}
