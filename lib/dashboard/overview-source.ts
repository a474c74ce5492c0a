import type { JobCatalog } from '../catalog/job-catalog.js';
import type { JobsHealth } from '../health/jobs-health.js';
import type { Overview } from './api/overview.js';
import { overviewOf } from './answers/overview-answer.js';
import { troublesOf } from './answers/troubles.js';
import type { ResolvedSettings } from './resolve-dashboard-options.js';

/** However many pages look, the store is asked no more often. */
const freshMs = 1_000;
const mostPending = 500;

/** The overview, made at most once at a time and once a second, whoever asks for it. */
export class OverviewSource {
  private underWay: { readonly at: number; readonly overview: Promise<Overview> } | undefined;
  private known: { readonly at: number; readonly overview: Overview } | undefined;
  private outdatedAt = -Infinity;

  constructor(
    private readonly catalog: JobCatalog,
    private readonly health: JobsHealth,
    private readonly settings: ResolvedSettings,
  ) {}

  async get(): Promise<Overview> {
    const { known } = this;
    const isFresh = known && known.at >= this.outdatedAt && performance.now() < known.at + freshMs;
    return isFresh ? known.overview : this.fresh();
  }

  /** As it is now, or will be when the one that is under way is there. */
  fresh(): Promise<Overview> {
    if (this.underWay && this.underWay.at >= this.outdatedAt) return this.underWay.overview;
    const at = performance.now();
    const made = { at, overview: this.make(at) };
    const isOver = () => {
      if (this.underWay === made) this.underWay = undefined;
    };
    made.overview.then(isOver, isOver);
    this.underWay = made;
    return made.overview;
  }

  /** Something was done: what was looked at before does not show it. */
  outdate(): void {
    this.outdatedAt = performance.now();
  }

  private async make(at: number): Promise<Overview> {
    const { catalog, health } = this;
    const [queues, runners, pending, report] = await Promise.all([
      catalog.queues(),
      catalog.runners(),
      catalog.tasks({ state: 'pending' }, { limit: mostPending }),
      health.check({ timeout: '5s' }),
    ]);
    const { tasks, next } = pending;
    const troubles = troublesOf(queues, report, this.settings);
    const overview = overviewOf(queues, runners, { tasks, isAll: next === undefined }, troubles);
    this.known = { at, overview };
    return overview;
  }
}
