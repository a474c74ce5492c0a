import { JobQueue, JobRunner } from 'nestjs-jobs';
import { startApp, type Kind } from '../side-by-side/child/nestjs-jobs.js';
import { payload, type Payload } from '../side-by-side/system.js';
import { timed, type Round } from './memory-bench.js';

const bulkSize = 10_000;
export const queue = 'bench';

/** An application with its tasks in the memory of this process, default options but for the logging; its runner waits for `start`. */
export class MemoryApp {
  readonly jobs: JobQueue;
  readonly runner: JobRunner;
  private number = 0;

  private constructor(
    private readonly started: Awaited<ReturnType<typeof startApp>>,
    private readonly hearing: { hear: (params: Payload) => void },
  ) {
    this.jobs = started.app.get(JobQueue);
    this.runner = started.app.get(JobRunner);
  }

  /** Closed when `use` ends. */
  static async with<R>(
    { concurrency = 100, queues = [queue] as readonly string[] },
    use: (app: MemoryApp) => Promise<R>,
  ): Promise<R> {
    const hearing = { hear: (_params: Payload) => undefined as void };
    const runner = { concurrency, autoStart: false, queues: [...queues] };
    const options = { backend: 'memory:', log: false, runner } as const;
    const started = await startApp(options, queue, (params) => hearing.hear(params));
    try {
      return await use(new MemoryApp(started, hearing));
    } finally {
      await started.app.close();
    }
  }

  enqueue(kind: Kind, params = this.params(kind)): Promise<unknown> {
    return this.jobs.enqueue(this.started.jobs[kind], params);
  }

  /** In bulks; in one queue after the other where there are several. */
  async fill(
    count: number,
    { kind = 'plain', queues = [queue], ...options }: Filling = {},
    size = bulkSize,
  ): Promise<void> {
    const job = this.started.jobs[kind];
    for (let made = 0; made < count; made += size)
      await this.jobs.bulk((bulk) => {
        for (let n = made; n < Math.min(count, made + size); n++)
          bulk.enqueue(job, this.params(kind), { ...options, queue: queues[n % queues.length]! });
      });
  }

  /** Tasks that tell their due moments. */
  async fillDue(moments: readonly number[]): Promise<void> {
    await this.jobs.bulk((bulk) => {
      for (const at of moments) bulk.enqueue(this.started.jobs.plain, payload(String(at)), { at });
    });
  }

  /** Each by as many callers that await it. */
  async enqueueBy(callers: number, count: number, kind: Kind): Promise<void> {
    let left = count;
    const caller = async () => {
      while (left-- > 0) await this.enqueue(kind);
    };
    await Promise.all(Array.from({ length: callers }, caller));
  }

  /** Runs so many tasks; the runner goes on. */
  async run(count: number): Promise<void> {
    let left = count;
    const done = new Promise<void>((resolve) => {
      this.hear(() => {
        if (--left === 0) resolve();
      });
    });
    await this.runner.start();
    await done;
  }

  /** Runs so many tasks by the clock; then the runner rests. */
  async timedRun(count: number): Promise<Round> {
    const round = await timed(count, () => this.run(count));
    await this.runner.stop();
    return round;
  }

  hear(tell: (params: Payload) => void): void {
    this.hearing.hear = tell;
  }

  /** Those of a unique task have a key of their own. */
  private params(kind: Kind): Payload {
    return kind === 'unique' ? payload(String(this.number++)) : payload();
  }
}

interface Filling {
  readonly kind?: Kind;
  readonly queues?: readonly string[];
  readonly at?: Date;
  readonly priority?: number;
}
