import { toMs } from '../task/duration.js';
import { checkEnqueueOptions, type EnqueueDefaults, type EnqueueOptions } from '../task/enqueue-options.js';
import { planEnqueue, type EnqueuePlan } from '../task/enqueue-plan.js';
import { paramsFingerprint } from '../task/params-fingerprint.js';
import { paramsCodec, type ParamsCodec, type ParamsType } from '../task/params.js';
import { defaultBackoff, type Backoff } from '../task/retry-policy.js';
import { InvalidJobError } from './errors.js';
import type { JobClass } from './job-handler.js';
import { checkJobOptions, type JobOptions } from './job-options.js';

/** What a job is, read once from its class: nothing here depends on where, or whether, the class is provided. */
export class JobDefinition {
  readonly name: string;
  readonly codec: ParamsCodec;
  readonly backoff: Backoff;
  readonly jitter: number;
  readonly timeoutMs: number | undefined;
  /** The plan of an enqueue that says nothing further. */
  readonly plan: EnqueuePlan;
  private readonly defaults: EnqueueDefaults;
  private readonly params: ParamsType | undefined;
  private print: string | undefined;

  constructor(
    readonly target: JobClass,
    options: JobOptions,
    defaults: EnqueueDefaults,
    payloadLimit: number,
  ) {
    checkJobOptions(options, target.name || 'an unnamed job class');
    this.name = options.name ?? target.name;
    if (!this.name) throw new InvalidJobError('@Job', 'an unnamed class needs a name: @Job({ name: … })');
    const { run } = target.prototype as { run?: unknown };
    if (typeof run !== 'function')
      throw new InvalidJobError(this.where, 'a job class needs a method `run(params, task)`');
    this.defaults = withDefaults(options, defaults);
    const { retries, backoff, jitter, timeout } = this.defaults;
    this.params = options.params;
    this.codec = paramsCodec(this.name, this.params, payloadLimit);
    this.backoff = (Array.isArray(retries) ? retries : backoff) ?? defaultBackoff;
    this.jitter = jitter ?? 0;
    this.timeoutMs =
      timeout === undefined ? undefined : toMs(timeout, { where: this.name, option: 'timeout' });
    this.plan = planEnqueue(this.defaults, undefined, this.name);
  }

  /** What messages call it: the class, which is where it can be mended. */
  private get where(): string {
    return this.target.name || this.name;
  }

  get queue(): string {
    return this.plan.queue;
  }

  /** Changes with what its params must be: stored params that did not pass may then pass. */
  get fingerprint(): string {
    return (this.print ??= paramsFingerprint(this.params));
  }

  planFor(options: EnqueueOptions | undefined): EnqueuePlan {
    if (options === undefined) return this.plan;
    checkEnqueueOptions(options, this.where);
    return planEnqueue(this.defaults, options, this.where);
  }
}

/** The job's own options over those of the module; the two ways to say delays between retries are one choice. */
function withDefaults(options: JobOptions, defaults: EnqueueDefaults): EnqueueDefaults {
  const chosen: Record<string, unknown> = { ...defaults };
  if (options.backoff !== undefined && Array.isArray(defaults.retries))
    chosen.retries = defaults.retries.length;
  for (const [key, value] of Object.entries(options)) if (value !== undefined) chosen[key] = value;
  for (const key of ['name', 'params', 'scope']) delete chosen[key];
  return chosen;
}
