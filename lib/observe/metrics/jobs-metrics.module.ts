import {
  Controller,
  Get,
  Inject,
  Module,
  Res,
  UseGuards,
  VERSION_NEUTRAL,
  type CanActivate,
  type DynamicModule,
  type ModuleMetadata,
  type Type,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { checkKeys } from '../../task/check-keys.js';
import { InvalidOptionError } from '../../task/errors.js';
import { JobsMetrics, type MetricsSources } from './jobs-metrics.js';
import { secondsBuckets } from './task-metrics.js';

/** What `JobsMetricsModule.forRoot` takes. Everything has a default. */
export interface JobsMetricsOptions {
  /**
   * Where the metrics are served; `false`: nowhere, inject `JobsMetrics` instead.
   * @default '/metrics'
   */
  path?: string | false;
  /** Guards of that path, as `@UseGuards` takes them. */
  guards?: (Type<CanActivate> | CanActivate)[];
  /** The modules that provide what the guards inject. */
  imports?: ModuleMetadata['imports'];
  /**
   * Upper bounds, in seconds and ascending, of what durations and waits are counted by.
   * @default from 5 ms to an hour
   */
  buckets?: readonly number[];
}

/** What `JobsMetrics` is made from: `JobsModule` provides it. */
export const METRICS_SOURCES = Symbol('nestjs-jobs metrics sources: import JobsModule.forRoot()');

const where = 'JobsMetricsModule.forRoot';

/** Counts what happens to tasks in this process, and serves it to Prometheus. Nothing is counted without it. */
@Module({})
export class JobsMetricsModule {
  static forRoot(options: JobsMetricsOptions = {}): DynamicModule {
    checkKeys(options, ['path', 'guards', 'imports', 'buckets'], where);
    const { path = '/metrics', guards = [], imports = [], buckets = secondsBuckets } = options;
    if (path !== false && typeof path !== 'string')
      throw new InvalidOptionError(where, 'path', path, "text such as '/metrics', or false");
    checkBuckets(buckets);
    return {
      module: JobsMetricsModule,
      imports,
      controllers: path === false ? [] : [controllerAt(path, guards)],
      providers: [
        {
          provide: JobsMetrics,
          inject: [METRICS_SOURCES],
          useFactory: (sources: MetricsSources) => new JobsMetrics(sources, [...buckets]),
        },
      ],
      exports: [JobsMetrics],
    };
  }
}

function checkBuckets(buckets: unknown): asserts buckets is readonly number[] {
  const isList = Array.isArray(buckets) && buckets.length > 0 && buckets.every(Number.isFinite);
  if (!isList || buckets.some((bound, at) => at > 0 && bound <= buckets[at - 1]))
    throw new InvalidOptionError(where, 'buckets', buckets, 'a list of numbers, ascending');
}

/** A class for each path: what stands on it is said by decorators. */
function controllerAt(path: string, guards: (Type<CanActivate> | CanActivate)[]): Type {
  @Controller({ path, version: VERSION_NEUTRAL })
  @UseGuards(...guards)
  class JobsMetricsController {
    constructor(
      @Inject(JobsMetrics) private readonly metrics: JobsMetrics,
      @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    ) {}

    /** Answered past Nest, so that an interceptor which wraps all that an application answers does not wrap this. */
    @Get()
    async text(@Res() response: unknown): Promise<void> {
      const text = await this.metrics.text();
      const { httpAdapter } = this.host;
      httpAdapter.setHeader(response, 'Content-Type', this.metrics.contentType);
      httpAdapter.reply(response, text, 200);
    }
  }
  return JobsMetricsController;
}
