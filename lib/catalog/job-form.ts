import type { EnqueueOptions } from '../task/enqueue-options.js';
import type { Enqueued } from '../task/enqueued.js';
import { InvalidParamsError, type Violation } from '../task/errors.js';
import { JobNotProvidedError } from '../job/errors.js';
import type { JobDefinition } from '../job/job-definition.js';
import type { JobClass } from '../job/job-handler.js';
import type { JobRegistry } from '../job/job-registry.js';
import { classFields } from './class-fields.js';
import type { ParamsSchema } from './params-fields.js';
import { schemaFields } from './schema-fields.js';

/** `JobQueue.enqueue`, which lies beyond what the catalog knows. */
export type EnqueueByClass = (job: JobClass, params: unknown, options?: EnqueueOptions) => Promise<Enqueued>;

/** Enqueueing by the name of a job, from a form. */
export class JobForm {
  constructor(
    private readonly registry: JobRegistry,
    private readonly enqueueByClass: EnqueueByClass,
  ) {}

  async enqueue(job: string, params: unknown, options?: EnqueueOptions): Promise<Enqueued> {
    const { source } = this.definition(job);
    if (source.isMethod)
      throw new JobNotProvidedError(job, 'a job on a method runs by its schedule: use `runSchedule`');
    return this.enqueueByClass(source.target as JobClass, params, options);
  }

  /** What is wrong with params; nothing is stored. */
  async check(job: string, params: unknown): Promise<readonly Violation[]> {
    try {
      await this.definition(job).codec.encode(params);
      return [];
    } catch (error) {
      if (error instanceof InvalidParamsError) return error.violations;
      throw error;
    }
  }

  schema(job: string): ParamsSchema {
    const { params } = this.definition(job);
    if (params === undefined) return { job, source: 'none' };
    const isSchema = '~standard' in params;
    const fields = isSchema ? schemaFields(params) : classFields(params);
    return { job, source: isSchema ? 'schema' : 'class', ...(fields && { fields }) };
  }

  private definition(job: string): JobDefinition {
    const provided = this.registry.named(job);
    if (!provided) throw new JobNotProvidedError(job, 'no job of this name is known to this process');
    return provided.definition;
  }
}
