import { ContextIdFactory, ModuleRef } from '@nestjs/core';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
import type { Task } from '../task/task.js';
import type { JobContextCreator, RunInContext } from './job-context.js';
import type { JobClass, JobHandler } from './job-handler.js';

/** A job's instance for one task, and its `run` inside Nest's context. */
export interface OpenHandler {
  readonly instance: JobHandler<never>;
  readonly run: RunInContext;
}

/** How a provided job class is reached: one instance for all tasks, or one made for each. */
export class Handler {
  private readonly shared: OpenHandler | undefined;

  constructor(
    private readonly target: JobClass,
    private readonly wrapper: InstanceWrapper,
    private readonly moduleRef: ModuleRef,
    private readonly contexts: JobContextCreator,
  ) {
    // A transient provider's own instance is an empty shell: each consumer gets one of its own.
    const isShared = wrapper.isDependencyTreeStatic() && !wrapper.isTransient;
    if (isShared) this.shared = this.around(wrapper.instance as JobHandler<never>);
  }

  /** Without awaiting where one instance serves all. */
  open(task: Task<never>): OpenHandler | Promise<OpenHandler> {
    return this.shared ?? this.openFor(task);
  }

  /** The methods of the job, where only their presence matters. */
  get shape(): Partial<JobHandler<never>> {
    return this.shared?.instance ?? (this.target.prototype as Partial<JobHandler<never>>);
  }

  private async openFor(task: Task<never>): Promise<OpenHandler> {
    const contextId = ContextIdFactory.getByRequest(task);
    const moduleRef = this.hostRef ?? this.moduleRef;
    moduleRef.registerRequestByContextId(task, contextId);
    const instance = await moduleRef.resolve<JobHandler<never>>(this.wrapper.token as never, contextId, {
      strict: this.hostRef !== undefined,
    });
    return this.around(instance, contextId);
  }

  /** The module that provides the class: another that provides it, too, would give it other dependencies. */
  private get hostRef(): ModuleRef | undefined {
    return this.wrapper.host?.providers.get(ModuleRef)?.instance as ModuleRef | undefined;
  }

  private around(
    instance: JobHandler<never>,
    contextId?: ReturnType<typeof ContextIdFactory.create>,
  ): OpenHandler {
    const moduleKey = this.wrapper.host?.token ?? '';
    const inContext = this.contexts.create(this.target, instance, moduleKey, contextId, this.wrapper.id);
    return {
      instance,
      run: inContext ?? ((params, task) => instance.run(params as never, task as never)),
    };
  }
}
