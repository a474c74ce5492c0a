import { types } from 'node:util';

// `instanceof` fails for what another realm has made, as in a test runner that gives each file globals of its own.

export function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return types.isPromise(value) || typeof (value as Promise<T> | undefined | null)?.then === 'function';
}

export function isError(value: unknown): value is Error {
  return value instanceof Error || types.isNativeError(value);
}
