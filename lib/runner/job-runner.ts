import { Injectable } from '@nestjs/common';
import type { JobRegistry } from '../job/job-registry.js';
import type { Executor } from './executor.js';
import { RunnerSession, type RunnerParts } from './runner-session.js';
import type { SessionHealth } from './session-health.js';
import type { QueueSettings, RunnerSettings } from './runner-settings.js';
import { Scheduler } from './scheduler.js';
import { Unparking } from './unparking.js';

/** `off`: this process only enqueues. `starting`: the application has not begun yet. `draining`: it takes nothing more. */
export type RunnerState = 'off' | 'starting' | 'running' | 'draining' | 'stopped';

/** Runs the tasks of this process. The application's lifecycle starts and stops it, unless `autoStart` is off. */
@Injectable()
export class JobRunner {
  private session: RunnerSession | undefined;
  private unparking: Unparking | undefined;
  private scheduler: Scheduler | undefined;
  private isWanted = false;
  private isReady = false;
  private isClosed = false;
  private draining: RunnerSession | undefined;
  private transition = Promise.resolve();

  /** @internal */
  constructor(
    private readonly parts: RunnerParts,
    /** False: this process only enqueues. */
    private readonly settings: RunnerSettings | false,
  ) {}

  /** What turns a claimed task into an outcome. @internal */
  get executor(): Executor {
    return this.parts.executor;
  }

  /** The queues that it runs, or would. @internal */
  get queues(): readonly QueueSettings[] {
    return this.settings === false ? [] : (this.settings.queues ?? queuesOf(this.parts.registry));
  }

  /** Another runner on the same store. @internal */
  beside(settings: RunnerSettings): JobRunner {
    return new JobRunner(this.parts, settings);
  }

  /** The application has begun: from now on the runner can run, and does where that is wished. @internal */
  ready(): Promise<void> {
    this.isReady = true;
    return this.settings !== false && this.settings.autoStart ? this.start() : this.follow();
  }

  /** Whether this process runs tasks at the moment. */
  get isRunning(): boolean {
    return this.session !== undefined;
  }

  /** Handlers that went on after their attempt had ended, because they do not heed `task.signal`. */
  get abandoned(): number {
    return this.parts.executor.abandoned;
  }

  /** @internal */
  get state(): RunnerState {
    if (this.settings === false) return 'off';
    if (this.draining || this.isClosed) return 'draining';
    if (this.session) return 'running';
    const isToStart = this.isReady ? this.isWanted : this.isWanted || this.settings.autoStart;
    return isToStart ? 'starting' : 'stopped';
  }

  /** What a check of this process asks beside the runner. @internal */
  get surroundings(): Pick<RunnerParts, 'backend' | 'clock'> & { readonly queues: string[] } {
    const { backend, clock, registry } = this.parts;
    const chosen = this.settings === false ? undefined : this.settings.queues;
    return { backend, clock, queues: (chosen ?? queuesOf(registry)).map(({ name }) => name) };
  }

  /** Undefined where it neither runs nor drains. @internal */
  async health(withinMs: number): Promise<SessionHealth | undefined> {
    return (this.session ?? this.draining)?.health(withinMs);
  }

  /** Starts claiming, once the application has begun; does nothing where it already runs, or where the module says `runner: false`. */
  start(): Promise<void> {
    this.isWanted = this.settings !== false && !this.isClosed;
    return this.follow();
  }

  /** Claims nothing more, waits for what runs up to `shutdownTimeout`, then hands it back. Never rejects. */
  stop(): Promise<void> {
    this.isWanted = false;
    return this.follow();
  }

  /** Stops for good: the application ends. @internal */
  close(): Promise<void> {
    this.isClosed = true;
    return this.stop();
  }

  /** One transition at a time; the last wish counts. */
  private follow(): Promise<void> {
    return (this.transition = this.transition.then(() => this.transit()));
  }

  private async transit(): Promise<void> {
    while ((this.isWanted && this.isReady) !== this.isRunning) {
      if (this.session) {
        const { session } = this;
        this.session = undefined;
        this.draining = session;
        this.unparking?.end();
        await Promise.all([this.scheduler?.end(), session.end()]);
        this.draining = undefined;
      } else if (this.settings) {
        const { queues } = this;
        this.session = new RunnerSession(this.parts, this.settings, queues);
        this.session.begin();
        const names = queues.map(({ name }) => name);
        this.unparking = new Unparking(this.parts, names);
        this.unparking.begin();
        this.scheduler = this.settings.schedules
          ? new Scheduler(this.parts, this.settings, names)
          : undefined;
        this.scheduler?.begin();
      }
    }
  }
}

function queuesOf(registry: JobRegistry): QueueSettings[] {
  const names = new Set(registry.provided().map(({ definition }) => definition.queue));
  return [...names].map((name) => ({ name, concurrency: Infinity }));
}
