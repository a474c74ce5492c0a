import { Inject, Module, type OnModuleDestroy } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { Observation } from './observation.js';

/** Waits for listeners when the runner has drained, and before anything that they may use is destroyed. */
@Module({})
export class ObserveModule implements OnModuleDestroy {
  constructor(
    @Inject(Observation) private readonly observation: Observation,
    @Inject(ModulesContainer) modules: ModulesContainer,
  ) {
    // Nest destroys by distance from the root, the nearest first: this comes right after the runner, which is at -1.
    for (const module of modules.values()) if (module.metatype === ObserveModule) module.distance = -0.5;
  }

  async onModuleDestroy(): Promise<void> {
    await this.observation.farewell();
  }
}
