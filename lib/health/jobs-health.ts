import { Inject, Injectable } from '@nestjs/common';
import { JobRunner } from '../runner/job-runner.js';
import type { SessionHealth } from '../runner/session-health.js';
import { askStore, type StoreAnswer } from './ask-store.js';
import { EventLoop } from './event-loop.js';
import { resolveHealthOptions, type HealthOptions } from './health-options.js';
import type { HealthReport, QueueHealth } from './health-report.js';
import { problemsOf } from './problems-of.js';

/** Tells how this process is: it asks the store, makes sure that the runner looks, and has the lease thread answer. */
@Injectable()
export class JobsHealth {
  private readonly loop = new EventLoop();

  /** @internal */
  constructor(@Inject(JobRunner) private readonly runner: JobRunner) {}

  /** Never rejects but for options that cannot mean anything, and answers within `timeout` while the event loop turns. */
  async check(options?: HealthOptions): Promise<HealthReport> {
    const bounds = resolveHealthOptions(options);
    const { runner } = this;
    const { backend, clock, queues } = runner.surroundings;
    const names = [...new Set([...queues, ...bounds.queues])];
    const [store, session, eventLoop] = await Promise.all([
      askStore(backend, clock, names, bounds.timeoutMs),
      runner.health(bounds.timeoutMs),
      this.loop.measure(),
    ]);
    const facts = {
      backend: {
        name: backend.name,
        isReachable: store.error === undefined,
        answeredInMs: store.answeredInMs,
        durability: backend.durability,
      },
      runner: { state: runner.state, running: session?.running ?? 0, abandoned: runner.abandoned },
      queues: names.map((queue) => queueHealth(queue, store, session)),
      leases: session?.leases,
      eventLoop,
    };
    const problems = problemsOf(facts, store, session, bounds);
    const isFree = (of: 'readiness' | 'liveness') => !problems.some(({ against }) => against.includes(of));
    return {
      isHealthy: problems.length === 0,
      isReady: isFree('readiness'),
      isAlive: isFree('liveness'),
      problems,
      ...facts,
    };
  }
}

function queueHealth(queue: string, store: StoreAnswer, session: SessionHealth | undefined): QueueHealth {
  const seen = store.queues.get(queue);
  const look = session?.looks.find((one) => one.queue === queue);
  return {
    queue,
    waiting: seen?.counts.waiting,
    oldestWaitingMs: seen?.oldestWaitingMs,
    isPaused: seen && seen.pausedForMs !== undefined,
    lookedAgoMs: look?.lookedAgoMs,
    isFull: look?.isFull,
  };
}
