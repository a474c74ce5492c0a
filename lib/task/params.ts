import type { StandardSchemaV1 } from '@standard-schema/spec';
import { InvalidOptionError } from './errors.js';
import { ClassParams } from './params-class.js';
import type { ParamsCodec } from './params-codec.js';
import { RawParams } from './params-raw.js';
import { SchemaParams } from './params-schema.js';

export type { Encoded, ParamsCodec } from './params-codec.js';

/** What a job declares its params by: a class with class-validator's decorators, or a zod, valibot or arktype schema. */
export type ParamsType<P = unknown> = (new () => P) | StandardSchemaV1<unknown, P>;

/** Chooses the codec for what a job declares; without a declaration any JSON value may be sent. */
export function paramsCodec<P>(
  job: string,
  params: ParamsType<P> | undefined,
  payloadLimit: number,
): ParamsCodec<P> {
  if (params === undefined) return new RawParams(job, payloadLimit) as ParamsCodec<P>;
  if (isSchema(params)) return new SchemaParams(job, params, payloadLimit);
  if (isClass(params)) return new ClassParams(job, params, payloadLimit);
  throw new InvalidOptionError(job, 'params', params, 'a class or a Standard Schema');
}

// First of the two, because a schema may be a function or a class as well.
function isSchema<P>(params: ParamsType<P>): params is StandardSchemaV1<unknown, P> {
  return Object(params) === params && '~standard' in params;
}

function isClass<P>(params: ParamsType<P>): params is new () => P & object {
  return typeof params === 'function' && typeof params.prototype === 'object';
}
