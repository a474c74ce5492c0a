import { InvalidParamsError, JobsError, shown } from './errors.js';

/** What user code threw while it dealt with params, as one of our errors. */
export function paramsFailure(job: string, where: string, error: unknown): JobsError {
  if (error instanceof JobsError) return error;
  return new InvalidParamsError(job, [{ path: '', message: `${where} threw: ${messageOf(error)}` }], {
    cause: error,
  });
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : shown(error);
}
