import type { Encoded, ParamsCodec } from './params-codec.js';
import { isPromise } from './realm.js';
import { maskParamsError, type Redaction } from './redact.js';
import type { Mask } from './redact-text.js';

/** Params of a job that hides some of them: what is wrong with them is said without their values. */
export class RedactedParams<P> implements ParamsCodec<P> {
  constructor(
    private readonly codec: ParamsCodec<P>,
    private readonly redaction: Redaction,
  ) {}

  encode(input: unknown): Encoded<P> | Promise<Encoded<P>> {
    return masked(
      () => this.codec.encode(input),
      () => this.redaction.maskOf('', input),
    );
  }

  decode(text: string): P | Promise<P> {
    return masked(
      () => this.codec.decode(text),
      () => this.redaction.maskOf(text),
    );
  }
}

function masked<T>(work: () => T | Promise<T>, mask: () => Mask): T | Promise<T> {
  try {
    const made = work();
    if (!isPromise(made)) return made;
    return made.catch((error: unknown) => {
      throw maskParamsError(error, mask());
    });
  } catch (error) {
    throw maskParamsError(error, mask());
  }
}
