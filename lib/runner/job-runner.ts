import { Injectable } from '@nestjs/common';
import type { JobRegistry } from '../job/job-registry.js';
import { RunnerSession, type RunnerParts } from './runner-session.js';
import type { QueueSettings, RunnerSettings } from './runner-settings.js';

/** Runs the tasks of this process. The application's lifecycle starts and stops it, unless `autoStart` is off. */
@Injectable()
export class JobRunner {
  private session: RunnerSession | undefined;
  private stopping: Promise<void> | undefined;

  /** @internal */
  constructor(
    private readonly parts: RunnerParts,
    /** False: this process only enqueues. */
    private readonly settings: RunnerSettings | false,
  ) {}

  /** @internal */
  get startsByItself(): boolean {
    return this.settings !== false && this.settings.autoStart;
  }

  /** Whether this process runs tasks at the moment. */
  get isRunning(): boolean {
    return this.session !== undefined;
  }

  /** Handlers that went on after their attempt had ended, because they do not heed `task.signal`. */
  get abandoned(): number {
    return this.parts.executor.abandoned;
  }

  /** Starts claiming; does nothing where it already runs, or where the module says `runner: false`. */
  async start(): Promise<void> {
    await this.stopping;
    const { settings } = this;
    if (settings === false || this.session) return;
    const queues = settings.queues ?? queuesOf(this.parts.registry);
    const session = new RunnerSession(this.parts, settings, queues);
    this.session = session;
    await session.begin();
  }

  /** Claims nothing more, waits for what runs up to `shutdownTimeout`, then hands it back. Never rejects. */
  stop(): Promise<void> {
    const { session } = this;
    if (!session) return this.stopping ?? Promise.resolve();
    this.session = undefined;
    return (this.stopping = session.end().finally(() => (this.stopping = undefined)));
  }
}

function queuesOf(registry: JobRegistry): QueueSettings[] {
  const names = new Set(registry.provided().map(({ definition }) => definition.queue));
  return [...names].map((name) => ({ name, concurrency: Infinity }));
}
