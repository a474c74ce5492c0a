import {
  Inject,
  Module,
  type DynamicModule,
  type FactoryProvider,
  type ModuleMetadata,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { JobCatalog } from '../catalog/job-catalog.js';
import { JobsHealth } from '../health/jobs-health.js';
import { dashboardController } from './dashboard.controller.js';
import type { DashboardMount, DashboardSettings, JobsDashboardOptions } from './dashboard-options.js';
import { Dashboard } from './dashboard.js';
import {
  resolveAll,
  resolveMount,
  resolveSettings,
  type ResolvedMount,
  type ResolvedSettings,
} from './resolve-dashboard-options.js';

/** What `JobsDashboardModule.forRootAsync` takes: where it is and who guards it is said at once, the rest by a factory. */
export interface JobsDashboardAsyncOptions extends DashboardMount {
  inject?: FactoryProvider['inject'];
  useFactory: (...args: never[]) => DashboardSettings | Promise<DashboardSettings>;
}

const SETTINGS = Symbol('nestjs-jobs dashboard settings');
const PATH = Symbol('nestjs-jobs dashboard path');

/** A page, and its API, to see and steer the jobs of all processes on the same store. */
@Module({})
export class JobsDashboardModule implements OnModuleInit, OnModuleDestroy {
  constructor(
    @Inject(Dashboard) private readonly dashboard: Dashboard,
    @Inject(PATH) private readonly path: string,
  ) {}

  static forRoot(options: JobsDashboardOptions = {}): DynamicModule {
    const settings = resolveAll(options);
    return mounted(resolveMount(options), { provide: SETTINGS, useFactory: () => settings });
  }

  static forRootAsync(options: JobsDashboardAsyncOptions): DynamicModule {
    const { inject = [], useFactory } = options;
    return mounted(resolveMount(options), {
      provide: SETTINGS,
      inject,
      useFactory: async (...args: never[]) => resolveSettings(await useFactory(...args)),
    });
  }

  onModuleInit(): void {
    this.dashboard.announce(this.path);
  }

  onModuleDestroy(): void {
    this.dashboard.close();
  }
}

function mounted(mount: ResolvedMount, settings: FactoryProvider): DynamicModule {
  const imports = mount.imports as ModuleMetadata['imports'];
  return {
    module: JobsDashboardModule,
    imports,
    controllers: [dashboardController(mount)],
    providers: [
      settings,
      { provide: PATH, useValue: mount.path },
      {
        provide: Dashboard,
        inject: [JobCatalog, JobsHealth, SETTINGS],
        useFactory: (catalog: JobCatalog, health: JobsHealth, resolved: ResolvedSettings) =>
          new Dashboard(catalog, health, resolved, mount.guards.length > 0),
      },
    ],
  };
}
