import 'reflect-metadata';
import {
  Injectable,
  Module,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type INestApplicationContext,
  type NestInterceptor,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { Type } from 'class-transformer';
import { IsDate, IsOptional, IsString } from 'class-validator';
import { Job, JobQueue, JobsModule, type JobHandler, type Task } from 'nestjs-jobs';
import { setTimeout as sleep } from 'node:timers/promises';

/** What happened, in order. */
@Injectable()
export class Journal {
  readonly lines: string[] = [];

  write(line: string): void {
    this.lines.push(line);
  }

  async has(line: string): Promise<void> {
    const until = Date.now() + 10_000;
    while (!this.lines.includes(line)) {
      if (Date.now() > until) throw new Error(`no '${line}' in ${JSON.stringify(this.lines)}`);
      await sleep(5);
    }
  }
}

class GreetParams {
  @IsString() to!: string;
  @Type(() => Date) @IsDate() on!: Date;
  @IsOptional() @IsString() from?: string = 'the app';
}

@Injectable()
class Around implements NestInterceptor {
  constructor(private readonly journal: Journal) {}

  intercept(context: ExecutionContext, next: CallHandler) {
    this.journal.write(`intercepted a ${context.getType<string>()}`);
    return next.handle();
  }
}

@Job({ params: GreetParams })
@UseInterceptors(Around)
export class Greet implements JobHandler<GreetParams> {
  constructor(private readonly journal: Journal) {}

  run({ to, on, from }: GreetParams, task: Task<GreetParams>): void {
    this.journal.write(`${from} greets ${to} on ${on.toISOString().slice(0, 10)}, attempt ${task.attempt}`);
  }
}

@Job()
export class Linger {
  constructor(private readonly journal: Journal) {}

  async run(): Promise<void> {
    this.journal.write('lingering');
    await sleep(200);
    this.journal.write('lingered');
  }
}

/** Slow to connect; jobs need it until the last of them has ended. */
@Injectable()
class Database implements OnApplicationBootstrap, OnModuleDestroy {
  constructor(
    private readonly journal: Journal,
    private readonly jobs: JobQueue,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.jobs.enqueue(Greet, { to: 'early bird', on: new Date('2030-01-01') });
    await sleep(200);
    this.journal.write('connected');
  }

  onModuleDestroy(): void {
    this.journal.write('disconnected');
  }
}

@Module({
  imports: [JobsModule.forRoot({ backend: 'memory:' })],
  providers: [Journal, Database, Greet, Linger],
})
export class AppModule {}

/** From a booted application to a closed one. */
export async function useJobs(app: INestApplicationContext): Promise<string[]> {
  const [jobs, journal] = [app.get(JobQueue), app.get(Journal)];
  await jobs.enqueue(Greet, { to: 'Ada', on: new Date('2030-01-02'), from: 'Grace' }, { in: '10ms' });
  await journal.has('Grace greets Ada on 2030-01-02, attempt 1');
  await jobs.enqueue(Linger);
  await journal.has('lingering');
  await app.close();
  return journal.lines;
}

export const whatHappens = [
  'connected',
  'intercepted a job',
  'the app greets early bird on 2030-01-01, attempt 1',
  'intercepted a job',
  'Grace greets Ada on 2030-01-02, attempt 1',
  'lingering',
  'lingered',
  'disconnected',
];

/** Never called: the compiler refuses wrong params in the published types, too. */
export function mistakes(jobs: JobQueue) {
  return [
    // @ts-expect-error a number is no text
    jobs.enqueue(Greet, { to: 1, on: new Date() }),
    // @ts-expect-error params are missing
    jobs.enqueue(Greet),
    // @ts-expect-error a job without params takes none
    jobs.enqueue(Linger, { to: 'Ada' }),
  ];
}
