import { ContextIdFactory, type ModuleRef } from '@nestjs/core';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
import type { Task } from '../task/task.js';
import { InvalidJobError } from './errors.js';
import { hostRefOf, isShared } from './host-module.js';
import type { JobContextCreator, RunInContext } from './job-context.js';
import type { JobDefinition } from './job-definition.js';
import type { JobHandler } from './job-handler.js';

type Instance = Record<string, (params: unknown, task: unknown) => unknown>;
type JobMethods = Partial<JobHandler<never>>;

/** What runs one task: the job's method inside Nest's context. */
export interface OpenHandler {
  /** Whose hooks and retry rules count: the job's instance; where the job is a method, there are none. */
  readonly instance: JobMethods;
  readonly run: RunInContext;
}

const noMethods: JobMethods = Object.freeze({});

/** How a provided job is reached: one instance for all tasks, or one made for each. */
export class Handler {
  private readonly shared: OpenHandler | undefined;

  constructor(
    private readonly definition: JobDefinition,
    private readonly wrapper: InstanceWrapper,
    private readonly moduleRef: ModuleRef,
    private readonly contexts: JobContextCreator,
  ) {
    const shared = isShared(wrapper) ? (wrapper.instance as Instance) : undefined;
    if (shared) this.shared = this.around(shared);
    // To what a test has put in place of the class, nothing is bound.
    if (shared && !(shared instanceof definition.source.target)) return;
    const obstacle = contexts.obstacleFor(definition, wrapper);
    if (obstacle) throw new InvalidJobError(definition.where, obstacle);
  }

  /** Without awaiting where one instance serves all. */
  open(task: Task<never>): OpenHandler | Promise<OpenHandler> {
    return this.shared ?? this.openFor(task);
  }

  /** The methods of the job, where only their presence matters. */
  get shape(): JobMethods {
    if (this.shared) return this.shared.instance;
    const { target, isMethod } = this.definition.source;
    return isMethod ? noMethods : (target.prototype as JobMethods);
  }

  private async openFor(task: Task<never>): Promise<OpenHandler> {
    const contextId = ContextIdFactory.getByRequest(task);
    const hostRef = hostRefOf(this.wrapper);
    const moduleRef = hostRef ?? this.moduleRef;
    moduleRef.registerRequestByContextId(task, contextId);
    const instance = await moduleRef.resolve<Instance>(this.wrapper.token as never, contextId, {
      strict: hostRef !== undefined,
    });
    return this.around(instance, contextId);
  }

  private around(instance: Instance, contextId?: ReturnType<typeof ContextIdFactory.create>): OpenHandler {
    const { method, isMethod } = this.definition.source;
    const moduleKey = this.wrapper.host?.token ?? '';
    const inContext = this.contexts.create(this.definition, instance, moduleKey, contextId, this.wrapper.id);
    return {
      instance: isMethod ? noMethods : instance,
      run: inContext ?? ((params, task) => instance[method]!(params, task)),
    };
  }
}
