import { classSourceOf, type JobSource } from './declaration.js';
import type { DeclaredSchedule } from './declared-schedule.js';
import type { Handler } from './handler.js';
import { DuplicateJobError, JobNotProvidedError, NotAJobError } from './errors.js';
import { JobDefinition } from './job-definition.js';
import type { JobClass } from './job-handler.js';
import type { HookChain } from './hook-chain.js';
import { UniqueGroups } from './unique-groups.js';
import type { EnqueuePlan, JobDefaults } from '../task/enqueue-plan.js';
import { storedRedaction, type Redaction } from '../task/redact.js';

/** A job as `enqueue` needs it; without a handler where the class is only known by its decorator. */
export interface EnqueuableJob {
  readonly definition: JobDefinition;
  readonly handler?: Handler;
  readonly hasEnqueueHooks: boolean;
}

/** A job that this application provides. */
export interface ProvidedJob extends EnqueuableJob {
  readonly handler: Handler;
}

export interface RegistrySettings {
  readonly defaults: JobDefaults;
  readonly payloadLimit: number;
  /** Whether this process runs the tasks of a queue: their jobs must then be provided. */
  readonly runsQueue: (queue: string) => boolean;
}

/** The jobs of this application by class and by stored name, and their schedules. */
export class JobRegistry {
  private readonly byName = new Map<string, ProvidedJob>();
  private readonly byClass = new Map<object, EnqueuableJob>();
  private readonly schedules: DeclaredSchedule[] = [];
  private readonly groups = new UniqueGroups();
  private readonly redactions = new Map<string, Redaction>();

  constructor(
    private readonly settings: RegistrySettings,
    readonly hooks: HookChain,
  ) {}

  /** Takes a job in. Undefined where it is known already: the same class, from another module, is the same job. */
  provide(source: JobSource, handlerOf: (definition: JobDefinition) => Handler): ProvidedJob | undefined {
    const definition = this.define(source);
    const other = this.byName.get(definition.name)?.definition;
    if (other && isSame(other.source, source)) return undefined;
    if (other) throw new DuplicateJobError(definition.name, other.where, definition.where);
    const group = definition.plan.unique?.group;
    if (group !== undefined) this.groups.declare(group, definition);
    const handler = handlerOf(definition);
    const job = { definition, handler, hasEnqueueHooks: this.hasEnqueueHooks(handler.shape) };
    this.byName.set(definition.name, job);
    if (!source.isMethod) this.byClass.set(source.target, job);
    return job;
  }

  declare(schedule: DeclaredSchedule): void {
    this.schedules.push(schedule);
  }

  /** The schedules that stand in code, but for those that are disabled. */
  declared(): readonly DeclaredSchedule[] {
    return this.schedules;
  }

  named(name: string): ProvidedJob | undefined {
    return this.byName.get(name);
  }

  /**
   * What is not to be seen of a job's params: as far as this process knows the job, and as the `extra` of a task says, which
   * may come from a process that knows more. Undefined where all may be.
   */
  redactionOf(name: string, extra?: string): Redaction | undefined {
    return storedRedaction(extra, this.redactions.get(name));
  }

  provided(): ProvidedJob[] {
    return [...this.byName.values()];
  }

  /** The job behind a class that is being enqueued, where the call says into its own or another queue. */
  enqueuable(target: JobClass, queue?: string): EnqueuableJob {
    const job = this.byClass.get(target) ?? this.enqueuableUnprovided(target);
    // A task that nobody here could run must not come to a queue that is run here.
    const into = queue ?? job.definition.queue;
    if (!job.handler && this.settings.runsQueue(into))
      throw new JobNotProvidedError(job.definition.name, `this process runs the queue '${into}'`);
    return job;
  }

  /** Stops a task whose group is in another queue than its own. */
  checkGroup({ definition }: EnqueuableJob, { queue, unique }: EnqueuePlan): void {
    if (unique?.group !== undefined) this.groups.call(unique.group, definition, queue);
  }

  /** The stored name of a job, wherever it is provided. */
  nameOf(target: JobClass): string {
    const job = this.byClass.get(target);
    if (job) return job.definition.name;
    const source = classSourceOf(target);
    if (!source) throw new NotAJobError(target?.name ?? String(target));
    return this.define(source).name;
  }

  private enqueuableUnprovided(target: JobClass): EnqueuableJob {
    const source = classSourceOf(target);
    if (!source) throw new NotAJobError(target?.name ?? String(target));
    const definition = this.define(source);
    const { beforeEnqueue, afterEnqueue, uniqueBy } = target.prototype as Record<string, unknown>;
    if (beforeEnqueue || afterEnqueue)
      throw new JobNotProvidedError(definition.name, 'its enqueue hooks need an instance');
    if (uniqueBy) throw new JobNotProvidedError(definition.name, 'its method `uniqueBy` needs an instance');
    const job = { definition, hasEnqueueHooks: this.hasEnqueueHooks({}) };
    this.byClass.set(target, job);
    return job;
  }

  private define(source: JobSource): JobDefinition {
    const definition = new JobDefinition(source, this.settings.defaults, this.settings.payloadLimit);
    if (definition.redaction) this.redactions.set(definition.name, definition.redaction);
    return definition;
  }

  private hasEnqueueHooks(shape: object): boolean {
    return this.hooks.has('beforeEnqueue', shape) || this.hooks.has('afterEnqueue', shape);
  }
}

function isSame(one: JobSource, other: JobSource): boolean {
  return one.target === other.target && one.method === other.method && one.isMethod === other.isMethod;
}
