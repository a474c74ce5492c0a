import type { ClaimedTask } from '../backend/backend.js';
import type { Carrying } from '../job/carrying.js';
import type { Around } from '../runner/around.js';
import type { TaskExtra } from '../task/enqueue-plan.js';
import type { Outcome } from '../task/outcome.js';
import type { ContextCarrier } from './context-carrier.js';
import type { Tracing } from './telemetry/tracing.js';

/** What travels with tasks from their enqueue to their run: the application's context, and where they stand in a trace. */
export class Carriage implements Carrying, Around {
  constructor(
    private readonly context: ContextCarrier | undefined,
    private readonly traces: Tracing | undefined,
  ) {}

  capture(job: string): string | undefined {
    return this.context?.capture(job);
  }

  get tracing(): Tracing | undefined {
    return this.traces?.isOn ? this.traces : undefined;
  }

  get isWanted(): boolean {
    return this.context !== undefined || this.tracing !== undefined;
  }

  /** The span is around the context, so that it tells of one that cannot be restored. */
  attempt(
    claimed: ClaimedTask,
    extra: TaskExtra,
    next: (failure?: Error) => Promise<Outcome>,
  ): Promise<Outcome> {
    const { context, tracing } = this;
    const within = context ? () => context.restore(claimed.job, extra.context, next) : () => next();
    return tracing ? tracing.attempt(claimed, extra, within) : within();
  }
}
