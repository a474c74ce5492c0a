import {
  Module,
  type DynamicModule,
  type InjectionToken,
  type ModuleMetadata,
  type OptionalFactoryDependency,
  type Provider,
  type Type,
} from '@nestjs/common';
import { JobsCoreModule } from './jobs-core.module.js';
import { JOBS_ROOT } from './jobs-root.js';
import { InvalidOptionError } from './task/errors.js';
import type { JobsOptions } from './jobs.options.js';
import { resolveOptions } from './resolve-options.js';

/** A class that makes the options, for `useClass` and `useExisting`. */
export interface JobsOptionsFactory {
  createJobsOptions(): JobsOptions | Promise<JobsOptions>;
}

/** One of `useFactory`, `useClass` and `useExisting`. */
export interface JobsAsyncOptions extends Pick<ModuleMetadata, 'imports'> {
  inject?: (InjectionToken | OptionalFactoryDependency)[];
  useFactory?: (...args: never[]) => JobsOptions | Promise<JobsOptions>;
  useClass?: Type<JobsOptionsFactory>;
  useExisting?: Type<JobsOptionsFactory>;
}

/** Import it once, in the root module: `JobQueue`, `JobRunner`, `JobCatalog`, `JobEvents` and `JobsHealth` are then injectable. */
@Module({})
export class JobsModule {
  static forRoot(options?: JobsOptions): DynamicModule {
    return rootOf({ provide: JOBS_ROOT, useFactory: () => resolveOptions(options) });
  }

  static forRootAsync({
    imports,
    inject,
    useFactory,
    useClass,
    useExisting,
  }: JobsAsyncOptions): DynamicModule {
    if (useFactory)
      return rootOf(
        {
          provide: JOBS_ROOT,
          inject,
          useFactory: async (...args: never[]) => resolveOptions(await useFactory(...args)),
        },
        imports,
      );
    const factory = useExisting ?? useClass;
    if (!factory)
      throw new InvalidOptionError(
        'JobsModule.forRootAsync',
        'options',
        {},
        'one of useFactory, useClass or useExisting',
      );
    const options: Provider = {
      provide: JOBS_ROOT,
      inject: [factory],
      useFactory: async (made: JobsOptionsFactory) => resolveOptions(await made.createJobsOptions()),
    };
    return rootOf(options, imports, useClass ? [useClass] : []);
  }
}

function rootOf(
  options: Provider,
  imports: ModuleMetadata['imports'] = [],
  others: Provider[] = [],
): DynamicModule {
  return {
    module: JobsModule,
    global: true,
    imports: [...imports, JobsCoreModule],
    providers: [options, ...others],
    exports: [JOBS_ROOT],
  };
}
