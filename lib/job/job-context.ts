import 'reflect-metadata';
import type { ApplicationConfig, ContextId, ModulesContainer, NestContainer } from '@nestjs/core';
import { ExternalContextCreator } from '@nestjs/core';
import { ExternalExceptionFilterContext } from '@nestjs/core/exceptions/external-exception-filter-context.js';
import { GuardsConsumer, GuardsContextCreator } from '@nestjs/core/guards/index.js';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
import { InterceptorsConsumer, InterceptorsContextCreator } from '@nestjs/core/interceptors/index.js';
import { PipesConsumer, PipesContextCreator } from '@nestjs/core/pipes/index.js';
import { Snoozed } from '../task/task.js';
import { methodOf } from './declaration.js';
import type { JobDefinition } from './job-definition.js';

/** The job's method with everything that Nest puts around a handler. */
export type RunInContext = (params: unknown, task: unknown) => unknown;

const argumentsMetadata = 'nestjs-jobs:arguments';
// Nest's number for a request's body: its ValidationPipe passes over kinds of arguments that it does not know.
const paramsKind = 3;
const taskKind = 1_000;
const enhancers = ['__guards__', '__interceptors__', '__pipes__', '__exceptionFilters__'];

/**
 * Nest's interceptors, guards, pipes and exception filters around a job's method, with `context.getType() === 'job'`.
 * Global ones only where the application asks for them: most are written for HTTP requests.
 */
export class JobContextCreator {
  private readonly creators = new Map<string, TaskContextCreator>();
  private readonly container: NestContainer;
  private readonly filters: ExternalExceptionFilterContext;

  constructor(
    private readonly modules: ModulesContainer,
    /** The application's global enhancers, where they apply to jobs. */
    private readonly globals: ApplicationConfig | undefined,
  ) {
    // The creators ask their container for its modules and for nothing else.
    this.container = { getModules: () => modules } as unknown as NestContainer;
    this.filters = new ExternalExceptionFilterContext(this.container, globals);
  }

  /** Why something that is bound to a job would not apply: Nest leaves out, without a word, what it has not made. */
  obstacleFor(definition: JobDefinition, wrapper: InstanceWrapper): string | undefined {
    const made = wrapper.host?.injectables;
    const classes = boundTo(definition).filter((bound) => typeof bound === 'function');
    const unmade = classes.find((bound) => !made?.has(bound));
    if (unmade)
      return (
        `${unmade.name} would not apply, as Nest makes it only for a class that it makes itself: ` +
        'provide the class, not a value or a factory of one'
      );
    if (definition.source.isMethod && this.lacksGlobals(wrapper))
      return (
        'with globalEnhancers, those of request or transient scope cannot apply to a method of a provider: ' +
        'make it a class with `run`'
      );
    return undefined;
  }

  /** Undefined where nothing is bound: the handler is then called as it is. */
  create(
    definition: JobDefinition,
    instance: Record<string, unknown>,
    moduleKey: string,
    contextId?: ContextId,
    inquirerId?: string,
  ): RunInContext | undefined {
    const { target, method } = definition.source;
    if (!(instance instanceof target)) return undefined;
    if (!this.globals && boundTo(definition).length === 0) return undefined;
    const handle = instance[method] as never;
    // Nest's external context runs pipes only for arguments that it finds metadata of.
    Reflect.defineMetadata(argumentsMetadata, argumentsOf(definition.params), instance.constructor, method);
    const run = this.creatorIn(moduleKey).create(
      instance,
      handle,
      method,
      argumentsMetadata,
      {
        exchangeKeyForValue: (kind: number, _data: unknown, args: unknown[]) =>
          args[kind === taskKind ? 1 : 0],
      },
      contextId,
      inquirerId,
      { guards: true, interceptors: true, filters: false },
      'job',
    );
    const filter = this.filters.create(instance, handle, moduleKey, contextId, inquirerId);
    return async (params, task) => {
      try {
        return (await run(params, task)) as unknown;
      } catch (error) {
        if (error instanceof Snoozed) throw error;
        const host = new ExecutionContextHost([params, task]);
        host.setType('job');
        // A filter may throw another error; what it returns does not make a success of a failure.
        await filter.invokeCustomFilters(error as Error, host);
        throw error;
      }
    };
  }

  private creatorIn(moduleKey: string): TaskContextCreator {
    let creator = this.creators.get(moduleKey);
    if (!creator) {
      const { modules, container, globals } = this;
      creator = new TaskContextCreator(
        moduleKey,
        new GuardsContextCreator(container, globals),
        new GuardsConsumer(),
        new InterceptorsContextCreator(container, globals),
        new InterceptorsConsumer(),
        modules,
        new PipesContextCreator(container, globals),
        new PipesConsumer(),
        this.filters,
      );
      this.creators.set(moduleKey, creator);
    }
    return creator;
  }

  /** Nest makes global enhancers of request or transient scope for controllers and job classes only. */
  private lacksGlobals(wrapper: InstanceWrapper): boolean {
    if (!this.globals) return false;
    const made: readonly unknown[] = wrapper.getEnhancersMetadata() ?? [];
    return [
      ...this.globals.getGlobalRequestGuards(),
      ...this.globals.getGlobalRequestInterceptors(),
      ...this.globals.getGlobalRequestPipes(),
      ...this.globals.getGlobalRequestFilters(),
    ].some((enhancer) => !made.includes(enhancer));
  }
}

/** The guards, interceptors, pipes and filters, or their classes, that stand on the job's class and method. */
function boundTo({ source: { target, method } }: JobDefinition): unknown[] {
  const places = [target, methodOf(target, method) as object];
  return enhancers.flatMap((key) =>
    places.flatMap((place) => (Reflect.getMetadata(key, place) ?? []) as unknown[]),
  );
}

/** Pipes are for the params; the task goes past them. */
class TaskContextCreator extends ExternalContextCreator {
  constructor(
    private readonly moduleKey: string,
    ...parts: ConstructorParameters<typeof ExternalContextCreator>
  ) {
    super(...parts);
  }

  /** Nest would look among providers only, and find no enhancers for a controller. */
  override getContextModuleKey(): string {
    return this.moduleKey;
  }

  override async getParamValue<T>(
    value: T,
    metadata: Parameters<ExternalContextCreator['getParamValue']>[1],
    pipes: Parameters<ExternalContextCreator['getParamValue']>[2],
  ): Promise<T> {
    if ((metadata.type as unknown) === taskKind) return value;
    // TypeScript tells a method's parameter types only where it is decorated; the job says what its params are anyway.
    const metatype = metadata.metatype ?? (metadata.data as never);
    return super.getParamValue(value, { ...metadata, metatype, data: undefined }, pipes) as Promise<T>;
  }
}

function argumentsOf(params: unknown) {
  return {
    [`${paramsKind}:0`]: { index: 0, data: typeof params === 'function' ? params : undefined, pipes: [] },
    [`${taskKind}:1`]: { index: 1, pipes: [] },
  };
}
