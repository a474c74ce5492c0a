import 'reflect-metadata';
import type { ContextId, NestContainer } from '@nestjs/core';
import { ApplicationConfig, ExternalContextCreator, ModulesContainer } from '@nestjs/core';
import { ExternalExceptionFilterContext } from '@nestjs/core/exceptions/external-exception-filter-context.js';
import { GuardsConsumer, GuardsContextCreator } from '@nestjs/core/guards/index.js';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { InterceptorsConsumer, InterceptorsContextCreator } from '@nestjs/core/interceptors/index.js';
import { PipesConsumer, PipesContextCreator } from '@nestjs/core/pipes/index.js';
import type { JobClass, JobHandler } from './job-handler.js';

/** `run` with everything that Nest puts around a handler. */
export type RunInContext = (params: unknown, task: unknown) => unknown;

const argumentsMetadata = 'nestjs-jobs:arguments';
const paramsArgument = 0;
const taskArgument = 1;
const enhancers = ['__guards__', '__interceptors__', '__pipes__', '__exceptionFilters__'];

/**
 * Nest's interceptors, guards, pipes and exception filters around `run`, with `context.getType() === 'job'`.
 * Global ones only where the application asks for them: most are written for HTTP requests.
 */
export class JobContextCreator {
  private readonly creator: TaskContextCreator;
  private readonly filters: ExternalExceptionFilterContext;

  constructor(
    modules: ModulesContainer,
    /** The application's global enhancers, where they apply to jobs. */
    private readonly globals: ApplicationConfig | undefined,
  ) {
    // The creators ask their container for its modules and for nothing else.
    const container = { getModules: () => modules } as unknown as NestContainer;
    this.filters = new ExternalExceptionFilterContext(container, globals);
    this.creator = new TaskContextCreator(
      new GuardsContextCreator(container, globals),
      new GuardsConsumer(),
      new InterceptorsContextCreator(container, globals),
      new InterceptorsConsumer(),
      modules,
      new PipesContextCreator(container, globals),
      new PipesConsumer(),
      this.filters,
    );
  }

  /** Undefined where nothing is bound: the handler is then called as it is. */
  create(
    target: JobClass,
    instance: JobHandler<never>,
    moduleKey: string,
    contextId?: ContextId,
    inquirerId?: string,
  ): RunInContext | undefined {
    if (!(instance instanceof target) || !this.isEnhanced(target)) return undefined;
    // Nest's external context runs pipes only for arguments that it finds metadata of.
    Reflect.defineMetadata(argumentsMetadata, argumentsOf(), instance.constructor, 'run');
    const run = this.creator.create(
      instance as never,
      instance.run as never,
      'run',
      argumentsMetadata,
      { exchangeKeyForValue: (type: number, _data: unknown, args: unknown[]) => args[type] },
      contextId,
      inquirerId,
      { guards: true, interceptors: true, filters: false },
      'job',
    );
    const filter = this.filters.create(
      instance as never,
      instance.run as never,
      moduleKey,
      contextId,
      inquirerId,
    );
    return async (params, task) => {
      try {
        return await run(params, task);
      } catch (error) {
        const host = new ExecutionContextHost([params, task]);
        host.setType('job');
        // A filter may throw another error; what it returns does not make a success of a failure.
        await filter.invokeCustomFilters(error as Error, host);
        throw error;
      }
    };
  }

  private isEnhanced(target: JobClass): boolean {
    if (this.globals) return true;
    const run = target.prototype.run as object;
    return enhancers.some((key) => Reflect.hasMetadata(key, target) || Reflect.hasMetadata(key, run));
  }
}

/** Pipes are for the params; the task goes past them. */
class TaskContextCreator extends ExternalContextCreator {
  override async getParamValue<T>(
    value: T,
    metadata: Parameters<ExternalContextCreator['getParamValue']>[1],
    pipes: Parameters<ExternalContextCreator['getParamValue']>[2],
  ): Promise<T> {
    if ((metadata.type as unknown) === taskArgument) return value;
    return super.getParamValue(value, { ...metadata, type: 'custom' as never }, pipes) as Promise<T>;
  }
}

function argumentsOf() {
  return {
    [`${paramsArgument}:${paramsArgument}`]: { index: paramsArgument, pipes: [] },
    [`${taskArgument}:${taskArgument}`]: { index: taskArgument, pipes: [] },
  };
}
