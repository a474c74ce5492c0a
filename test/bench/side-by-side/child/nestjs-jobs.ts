import 'reflect-metadata';
import {
  Injectable,
  Module,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  type Type,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { IsString } from 'class-validator';
import { Job, JobQueue, JobsModule, type JobsOptions } from 'nestjs-jobs';
import { payload, type Payload, type System, type variants } from '../system.js';

class BenchParams {
  @IsString() at!: string;
  @IsString() text!: string;
}

@Injectable()
class PassOn implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler) {
    return next.handle();
  }
}

export type Kind = 'plain' | keyof typeof variants;

/** A real Nest application on both sides, with the default options but for the logging; its jobs plain, or with something. */
export function nestjsJobs(kind: Kind): System {
  return {
    async produce(url, queue) {
      const options = { backend: url, log: false, runner: false } as const;
      const { app, jobs: classes } = await startApp(options, queue, () => undefined);
      const jobs = app.get(JobQueue);
      const job = classes[kind];
      let number = 0;
      return {
        add: (params) => jobs.enqueue(job, params),
        addUnique: (params) => jobs.enqueue(classes.unique, params),
        addBulk: (all, dueAt) =>
          jobs.bulk((bulk) => {
            all.forEach((params, index) =>
              bulk.enqueue(
                job,
                // Each with a key of its own.
                kind === 'unique' ? payload(String(number++)) : params,
                dueAt ? { at: dueAt[index]! } : undefined,
              ),
            );
          }),
        close: () => app.close(),
      };
    },

    async consume({ url, queues, concurrency }, handle) {
      const options: JobsOptions = {
        backend: url,
        log: false,
        runner: { concurrency, queues: [...queues] },
      };
      const { app } = await startApp(options, queues[0]!, handle);
      return { close: () => app.close() };
    },
  };
}

/** The jobs of the benchmark, in that queue, each with the same handler. */
export async function startApp(options: JobsOptions, queue: string, handle: (params: Payload) => void) {
  const jobs = jobsIn(queue, handle);
  @Module({ imports: [JobsModule.forRoot(options)], providers: Object.values<Type>(jobs) })
  class BenchModule {}
  const app = await NestFactory.createApplicationContext(BenchModule, { logger: false, abortOnError: false });
  return { app, jobs };
}

function jobsIn(queue: string, handle: (params: Payload) => void) {
  @Job({ queue })
  class NoOp {
    async run(params: Payload) {
      handle(params);
    }
  }
  @Job({ queue, params: BenchParams })
  class Checked {
    async run(params: BenchParams) {
      handle(params);
    }
  }
  @Job({ queue })
  @UseInterceptors(PassOn)
  class Intercepted {
    async run(params: Payload) {
      handle(params);
    }
  }
  @Job({ queue, unique: { lock: 'until_completed' } })
  class Unique {
    async run(params: Payload) {
      handle(params);
    }
  }
  return { plain: NoOp, params: Checked, interceptor: Intercepted, unique: Unique } satisfies Record<
    Kind,
    Type
  >;
}
