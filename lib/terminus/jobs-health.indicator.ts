import { Inject, Injectable } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { JobsHealth } from '../health/jobs-health.js';
import type { HealthOptions } from '../health/health-options.js';
import type { HealthReport } from '../health/health-report.js';

/** How the jobs of this process are, for `HealthCheckService.check` of `@nestjs/terminus`. */
@Injectable()
export class JobsHealthIndicator {
  /** @internal */
  constructor(
    @Inject(JobsHealth) private readonly health: JobsHealth,
    @Inject(HealthIndicatorService) private readonly indicators: HealthIndicatorService,
  ) {}

  /** Down where anything is wrong: for people, and for what wakes them. */
  isHealthy<Key extends string>(key: Key, options?: HealthOptions): Promise<HealthIndicatorResult<Key>> {
    return this.indicate(key, options, ({ isHealthy }) => isHealthy);
  }

  /** Down before the runner has started, while it drains, and while the store does not answer: for a readiness probe. */
  isReady<Key extends string>(key: Key, options?: HealthOptions): Promise<HealthIndicatorResult<Key>> {
    return this.indicate(key, options, ({ isReady }) => isReady);
  }

  /** Down where a new process would do better, and not because the store is away: for a liveness probe. */
  isAlive<Key extends string>(key: Key, options?: HealthOptions): Promise<HealthIndicatorResult<Key>> {
    return this.indicate(key, options, ({ isAlive }) => isAlive);
  }

  private async indicate<Key extends string>(
    key: Key,
    options: HealthOptions | undefined,
    isUp: (report: HealthReport) => boolean,
  ): Promise<HealthIndicatorResult<Key>> {
    const report = await this.health.check(options);
    const { backend, runner, queues, leases, eventLoop } = report;
    const problems = report.problems.map(({ message }) => message);
    const found = { problems, backend, runner, queues, leases, eventLoop };
    const indicator = this.indicators.check(key);
    return isUp(report) ? indicator.up(found) : indicator.down(found);
  }
}
