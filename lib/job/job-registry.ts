import type { Handler } from './handler.js';
import { DuplicateJobError, JobNotProvidedError, NotAJobError } from './errors.js';
import { JobDefinition } from './job-definition.js';
import type { JobClass } from './job-handler.js';
import { jobOptionsOf } from './job.decorator.js';
import type { HookChain } from './hook-chain.js';
import type { EnqueueDefaults } from '../task/enqueue-options.js';

/** A job that this application provides. */
export interface ProvidedJob {
  readonly definition: JobDefinition;
  readonly handler: Handler;
}

/** A job as `enqueue` needs it; without a handler where the class is only known by its decorator. */
export interface EnqueuableJob {
  readonly definition: JobDefinition;
  readonly handler?: Handler;
  readonly hasEnqueueHooks: boolean;
}

export interface RegistrySettings {
  readonly defaults: EnqueueDefaults;
  readonly payloadLimit: number;
  /** Whether this process runs the tasks of a queue: their jobs must then be provided. */
  readonly runsQueue: (queue: string) => boolean;
}

/** The jobs of this application, by class and by stored name. */
export class JobRegistry {
  private readonly byName = new Map<string, ProvidedJob>();
  private readonly byClass = new Map<JobClass, EnqueuableJob>();

  constructor(
    private readonly settings: RegistrySettings,
    readonly hooks: HookChain,
  ) {}

  define(target: JobClass): JobDefinition {
    const options = jobOptionsOf(target);
    if (!options) throw new NotAJobError(target?.name ?? String(target));
    return new JobDefinition(target, options, this.settings.defaults, this.settings.payloadLimit);
  }

  /** Takes a job in; the same class again, from another module, is the same job. */
  provide(target: JobClass, makeHandler: () => Handler): void {
    if (this.byClass.has(target)) return;
    const definition = this.define(target);
    const other = this.byName.get(definition.name);
    if (other) throw new DuplicateJobError(definition.name, other.definition.target.name, target.name);
    const handler = makeHandler();
    this.byName.set(definition.name, { definition, handler });
    this.byClass.set(target, { definition, handler, hasEnqueueHooks: this.hasEnqueueHooks(handler.shape) });
  }

  named(name: string): ProvidedJob | undefined {
    return this.byName.get(name);
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

  private enqueuableUnprovided(target: JobClass): EnqueuableJob {
    const definition = this.define(target);
    const { beforeEnqueue, afterEnqueue } = target.prototype as Record<string, unknown>;
    if (beforeEnqueue || afterEnqueue)
      throw new JobNotProvidedError(definition.name, 'its enqueue hooks need an instance');
    const job = { definition, hasEnqueueHooks: this.hasEnqueueHooks({}) };
    this.byClass.set(target, job);
    return job;
  }

  private hasEnqueueHooks(shape: object): boolean {
    return this.hooks.has('beforeEnqueue', shape) || this.hooks.has('afterEnqueue', shape);
  }
}
