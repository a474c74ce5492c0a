import type { Encoded, ParamsCodec } from './params-codec.js';
import { plainCopy } from './params-plain.js';
import { readParams, writeParams } from './params-text.js';

const noParams: Encoded = Object.freeze({ value: undefined, text: '' });

/** Params of a job that declares no type: any JSON value, or none. */
export class RawParams implements ParamsCodec {
  constructor(
    private readonly job: string,
    private readonly limit: number,
  ) {}

  encode(input: unknown): Encoded {
    if (input === undefined) return noParams;
    const value = plainCopy(this.job, input);
    return { value, text: writeParams(this.job, value, this.limit) };
  }

  decode(text: string): unknown {
    return readParams(this.job, text);
  }
}
