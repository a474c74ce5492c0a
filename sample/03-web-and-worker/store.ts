import { JobsError, type JobsOptions } from 'nestjs-jobs';

/** The same store for both: that is all that connects them. */
export const store = {
  backend: process.env.REDIS_URL ?? 'redis://localhost:6379',
  prefix: 'sample-03',
} satisfies JobsOptions;

/** In plain words, where no Redis can be used; any other error is not ours to explain. */
export function explain(error: unknown): void {
  if (!(error instanceof JobsError) || error.code !== 'UNUSABLE_STORE') throw error;
  console.error(`
${error.message}

This sample keeps its tasks in Redis. Start one, for example by

  docker run --rm -p 6379:6379 redis      or      redis-server

or say where yours is: REDIS_URL=redis://host:6379
`);
  process.exitCode = 1;
}
