import { toMs } from '../task/duration.js';
import { checkEnqueueOptions, type EnqueueOptions } from '../task/enqueue-options.js';
import { extraWith, planEnqueue, type EnqueuePlan, type JobDefaults } from '../task/enqueue-plan.js';
import { paramsFingerprint } from '../task/params-fingerprint.js';
import { paramsCodec, type ParamsCodec, type ParamsType } from '../task/params.js';
import { RedactedParams } from '../task/params-redacted.js';
import { checkRedactPaths } from '../task/redact-names.js';
import { Redaction } from '../task/redact.js';
import { checkUniqueNames } from '../task/unique-names.js';
import { defaultBackoff, type Backoff } from '../task/retry-policy.js';
import { methodOf, type JobSource } from './declaration.js';
import { InvalidJobError } from './errors.js';
import { checkJobOptions, type JobOptions } from './job-options.js';
import { checkRecurringOptions, jobPartOf } from './recurring-options.js';

/** What a job is, read once from its code: nothing here depends on where, or whether, its class is provided. */
export class JobDefinition {
  readonly name: string;
  /** What messages call it: the class or the method, which is where it can be mended. */
  readonly where: string;
  readonly params: ParamsType | undefined;
  readonly codec: ParamsCodec;
  /** Which params are not to be seen; undefined where all may be. */
  readonly redaction: Redaction | undefined;
  readonly backoff: Backoff;
  readonly jitter: number;
  readonly timeoutMs: number | undefined;
  /** The plan of an enqueue that says nothing further. */
  readonly plan: EnqueuePlan;
  private readonly defaults: JobDefaults;
  private readonly redactText: string | undefined;
  private print: string | undefined;

  constructor(
    readonly source: JobSource,
    defaults: JobDefaults,
    payloadLimit: number,
  ) {
    const inCode = nameOf(source);
    const options = optionsOf(source, inCode ?? 'an unnamed job class');
    const name = options.name ?? inCode;
    if (!name)
      throw new InvalidJobError(
        source.declaration.by,
        'an unnamed class needs a name: give it one by the option `name`',
      );
    this.name = name;
    this.where = inCode ?? name;
    if (typeof methodOf(source.target, source.method) !== 'function')
      throw new InvalidJobError(this.where, 'a job class needs a method `run(params, task)`');
    this.defaults = withDefaults(options, defaults);
    const { retries, backoff, jitter, timeout } = this.defaults;
    this.params = options.params;
    this.redaction = redactionOf(options, this.where);
    this.redactText = this.redaction && JSON.stringify(options.redact);
    const codec = paramsCodec(this.name, this.params, payloadLimit);
    this.codec = this.redaction ? new RedactedParams(codec, this.redaction) : codec;
    this.backoff = (Array.isArray(retries) ? retries : backoff) ?? defaultBackoff;
    this.jitter = jitter ?? 0;
    this.timeoutMs =
      timeout === undefined ? undefined : toMs(timeout, { where: this.where, option: 'timeout' });
    this.plan = this.planned(undefined);
    checkUniqueNames(this.plan.unique?.by, this.params, this.where);
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
    const plan = this.planned(options);
    if (options.unique && options.unique.by) checkUniqueNames(options.unique.by, this.params, this.where);
    return plan;
  }

  /** What is not to be seen is told with every task: a process that shows it need not know the job. */
  private planned(options: EnqueueOptions | undefined): EnqueuePlan {
    const plan = planEnqueue(this.defaults, options, this.where);
    if (this.redactText === undefined) return plan;
    return { ...plan, extra: extraWith(plan.extra, 'redact', this.redactText) };
  }
}

function nameOf({ target, method, isMethod }: JobSource): string | undefined {
  if (!target.name) return undefined;
  return isMethod ? `${target.name}.${method}` : target.name;
}

function optionsOf({ declaration, isMethod }: JobSource, where: string): JobOptions {
  if (declaration.by !== '@Job') checkRecurringOptions(declaration.options, where, isMethod);
  const options = declaration.by === '@Job' ? declaration.options : jobPartOf(declaration.options);
  checkJobOptions(options, where);
  return options;
}

function redactionOf({ redact = [], params }: JobOptions, where: string): Redaction | undefined {
  if (redact.length === 0) return undefined;
  const redaction = new Redaction(redact, where);
  checkRedactPaths(redaction.paths, params, where);
  return redaction;
}

/** The job's own options over those of the module; the two ways to say delays between retries are one choice. */
function withDefaults(options: JobOptions, defaults: JobDefaults): JobDefaults {
  const chosen: Record<string, unknown> = { ...defaults };
  if (options.backoff !== undefined && Array.isArray(defaults.retries))
    chosen.retries = defaults.retries.length;
  for (const [key, value] of Object.entries(options)) if (value !== undefined) chosen[key] = value;
  for (const key of ['name', 'params', 'redact', 'scope']) delete chosen[key];
  return chosen;
}
