import { Inject, Module, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { JobRunner } from './job-runner.js';

/**
 * Starts the runner after everything else has bootstrapped and drains it before anything else is destroyed: a provider
 * that disconnects in its `onModuleDestroy` still serves the tasks that drain.
 */
@Module({})
export class RunnerModule implements OnApplicationBootstrap, OnModuleDestroy {
  constructor(
    @Inject(JobRunner) private readonly runner: JobRunner,
    @Inject(ModulesContainer) modules: ModulesContainer,
  ) {
    // Nest calls its hooks by distance from the root, farthest first at start and last at the end; this is nearer than the root.
    for (const module of modules.values()) if (module.metatype === RunnerModule) module.distance = -1;
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.runner.ready();
  }

  async onModuleDestroy(): Promise<void> {
    await this.runner.close();
  }
}
