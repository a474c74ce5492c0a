import {
  Inject,
  Module,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { ModuleRef, ModulesContainer } from '@nestjs/core';
import { JobsCoreModule } from '../jobs-core.module.js';
import { STAND_INS } from '../stand-ins.js';
import { Bench } from './bench.js';
import { TestJobsError } from './errors.js';
import { TestJobs } from './test-jobs.js';
import { resolveTesting, type TestingOptions } from './testing-options.js';

/**
 * Import it beside the application's own module: its jobs then live in memory and follow a virtual clock, whatever backend the
 * application names. Where nothing imports `JobsModule`, it stands for that as well.
 */
@Module({})
export class JobsTestingModule implements OnApplicationBootstrap, OnModuleDestroy {
  /** @internal */
  constructor(
    @Inject(STAND_INS) private readonly bench: Bench,
    @Inject(ModulesContainer) modules: ModulesContainer,
  ) {
    const own = [...modules.values()].filter(({ metatype }) => metatype === JobsTestingModule);
    if (own.length > 1)
      throw new TestJobsError(
        'JobsTestingModule.forRoot is imported more than once: an application under test has one',
      );
    // Beyond the runner, which begins last of all and ends first: it must not wait for a time that nobody moves.
    for (const module of own) module.distance = -2;
  }

  static forRoot(options?: TestingOptions): DynamicModule {
    const settings = resolveTesting(options);
    return {
      module: JobsTestingModule,
      global: true,
      imports: [JobsCoreModule],
      providers: [
        // Made for each application, as an application is made for each test.
        { provide: STAND_INS, inject: [ModuleRef], useFactory: (ref: ModuleRef) => new Bench(settings, ref) },
        { provide: TestJobs, inject: [STAND_INS], useFactory: (bench: Bench) => new TestJobs(bench) },
      ],
      exports: [STAND_INS, TestJobs],
    };
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.bench.ready();
  }

  async onModuleDestroy(): Promise<void> {
    await this.bench.close();
  }
}
