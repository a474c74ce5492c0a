import { types } from 'node:util';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { InvalidParamsError, type Violation } from './errors.js';
import type { Encoded, ParamsCodec } from './params-codec.js';
import { paramsFailure } from './params-failure.js';
import { pathText, valueAt } from './params-path.js';
import { plainCopy } from './params-plain.js';
import { readParams, writeParams } from './params-text.js';
import { isPromise } from './realm.js';

const dateHint =
  'params are checked as they will be read back, where a Date is text; take one that converts, such as z.coerce.date()';

/** Params of a job that declares a Standard Schema: the input is stored, its output is what `run()` gets. */
export class SchemaParams<P> implements ParamsCodec<P> {
  constructor(
    private readonly job: string,
    private readonly schema: StandardSchemaV1<unknown, P>,
    private readonly limit: number,
  ) {}

  encode(input: unknown): Encoded<P> | Promise<Encoded<P>> {
    const plain = plainCopy(this.job, input);
    const text = writeParams(this.job, plain, this.limit);
    const value = this.output(plain, input);
    return isPromise(value) ? value.then((value) => ({ value, text })) : { value, text };
  }

  decode(text: string): P | Promise<P> {
    const plain = readParams(this.job, text);
    return this.output(plain, plain);
  }

  private output(plain: unknown, sent: unknown): P | Promise<P> {
    try {
      const result = this.schema['~standard'].validate(plain);
      if (!isPromise(result)) return this.accepted(result, sent);
      return Promise.resolve(result)
        .then((result) => this.accepted(result, sent))
        .catch((error: unknown) => this.rethrow(error));
    } catch (error) {
      this.rethrow(error);
    }
  }

  private accepted(result: StandardSchemaV1.Result<P>, sent: unknown): P {
    if (!result.issues) return result.value;
    throw new InvalidParamsError(
      this.job,
      result.issues.map((issue) => violationOf(issue, sent)),
    );
  }

  private rethrow(error: unknown): never {
    throw paramsFailure(this.job, 'the schema', error);
  }
}

function violationOf({ path = [], message }: StandardSchemaV1.Issue, sent: unknown): Violation {
  const keys = path.map((segment) => (typeof segment === 'object' ? segment.key : segment));
  return {
    path: pathText(keys),
    message: types.isDate(valueAt(sent, keys)) ? `${message} (${dateHint})` : message,
  };
}
