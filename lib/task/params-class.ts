import { types } from 'node:util';
import { instanceToPlain, plainToInstance } from 'class-transformer';
import { validate, type ValidationError } from 'class-validator';
import { InvalidParamsError, shown, type Violation } from './errors.js';
import { lostBigInts, readBigInts } from './params-bigint.js';
import type { Encoded, ParamsCodec } from './params-codec.js';
import { paramsFailure } from './params-failure.js';
import { pathText } from './params-path.js';
import { PlainCopy, plainCopy } from './params-plain.js';
import { readParams, writeParams } from './params-text.js';

/**
 * Params of a job that declares a class. Not what was sent is validated at enqueue but what its stored form gives, so
 * that nothing passes there that would not pass before the run.
 */
export class ClassParams<P extends object> implements ParamsCodec<P> {
  constructor(
    private readonly job: string,
    private readonly type: new () => P,
    private readonly limit: number,
  ) {}

  async encode(input: unknown): Promise<Encoded<P>> {
    return this.typed(async () => {
      const sent = this.sent(input);
      const text = await this.stored(sent);
      return { value: await this.arrived(text, sent), text };
    });
  }

  async decode(text: string): Promise<P> {
    return this.typed(() => this.arrived(text));
  }

  private sent(input: unknown): P {
    const plain = plainCopy(this.job, input, {
      bigints: 'keep',
      classes: input instanceof this.type,
      inheritedNames: true,
    });
    return plain instanceof this.type ? plain : this.built(plain);
  }

  private async stored(sent: P): Promise<string> {
    const copy = new PlainCopy({ bigints: 'text' });
    let plain: unknown;
    try {
      plain = copy.of(instanceToPlain(sent));
    } catch (cause) {
      // A @Transform may count on valid values; where they are not, that is what to report.
      const violations = await violationsOf(sent);
      throw violations.length > 0 ? new InvalidParamsError(this.job, violations, { cause }) : cause;
    }
    if (copy.violations.length > 0) throw copy.error(this.job, await violationsOf(sent));
    return writeParams(this.job, plain, this.limit);
  }

  private async arrived(text: string, sent?: P): Promise<P> {
    const plain = plainCopy(this.job, readParams(this.job, text), { inheritedNames: true });
    const value = this.built(plain);
    const violations = readBigInts(value);
    if (sent !== undefined) violations.push(...lostBigInts(sent, value));
    violations.push(...(await violationsOf(value)));
    if (violations.length > 0) throw new InvalidParamsError(this.job, violations);
    return value;
  }

  private built(plain: unknown = {}): P {
    if (typeof plain !== 'object' || plain === null || Array.isArray(plain)) {
      const message = `must be an object with the properties of ${this.type.name}, not ${shown(plain)}`;
      throw new InvalidParamsError(this.job, [{ path: '', message }]);
    }
    return plainToInstance(this.type, plain, { exposeDefaultValues: true });
  }

  private async typed<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw paramsFailure(this.job, this.type.name, error);
    }
  }
}

async function violationsOf(instance: object): Promise<Violation[]> {
  return flattened(
    await validate(instance, { forbidUnknownValues: false, validationError: { value: false } }),
  );
}

function flattened(errors: readonly ValidationError[], above: readonly PropertyKey[] = []): Violation[] {
  return errors.flatMap(({ property, target, constraints = {}, children = [] }) => {
    const isItem = Array.isArray(target) || types.isSet(target);
    const keys = [...above, isItem ? Number(property) : property];
    const path = pathText(keys);
    return [
      ...Object.values(constraints).map((message) => ({ path, message })),
      ...flattened(children, keys),
    ];
  });
}
