import { apiBounds } from '../api/basics.js';
import { ApiFailure, invalidField } from './api-failure.js';

/** The fields of a query or of a body, each checked as it is read. */
export class Fields {
  private constructor(
    private readonly values: ReadonlyMap<string, unknown>,
    /** Where everything is text. */
    private readonly isQuery: boolean,
    private readonly at = '',
  ) {}

  static ofQuery(query: URLSearchParams, known: readonly string[]): Fields {
    const names = [...new Set(query.keys())];
    refuseUnknown(names, known);
    return new Fields(new Map(names.map((name) => [name, query.getAll(name)])), true);
  }

  static ofBody(body: unknown, known: readonly string[], at = ''): Fields {
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      throw at === ''
        ? new ApiFailure(400, 'INVALID_REQUEST', 'the body must be a JSON object')
        : invalidField(at, 'an object');
    const entries = Object.entries(body).filter(([, value]) => value !== undefined && value !== null);
    refuseUnknown(
      entries.map(([name]) => name),
      known,
      at,
    );
    return new Fields(new Map(entries), false, at);
  }

  has(name: string): boolean {
    return this.values.has(name);
  }

  /** As it was given. */
  raw(name: string): unknown {
    return this.values.get(name);
  }

  text(name: string): string | undefined {
    const value = this.one(name);
    if (value === undefined) return undefined;
    if (!isText(value)) throw this.invalid(name, `a text of 1 to ${apiBounds.textLength} characters`);
    return value as string;
  }

  requiredText(name: string): string {
    return this.text(name) ?? this.lacks(name);
  }

  /** What a page gave as `next`: whether it means anything is for the catalog to say. */
  cursor(name: string): string | undefined {
    const value = this.one(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'string' || value.length > apiBounds.cursorLength)
      throw this.invalid(name, 'the `next` of a page');
    return value;
  }

  texts(name: string): string[] | undefined {
    const value = this.values.get(name);
    if (value === undefined) return undefined;
    const isList = Array.isArray(value) && value.length > 0 && value.length <= apiBounds.names;
    if (!isList || !value.every(isText)) throw this.invalid(name, `1 to ${apiBounds.names} texts`);
    return value as string[];
  }

  oneOf<T extends string>(name: string, choices: readonly T[]): T {
    const value = this.one(name);
    if (!choices.includes(value as T)) throw this.invalid(name, `one of ${choices.join(', ')}`);
    return value as T;
  }

  someOf<T extends string>(name: string, choices: readonly T[]): T[] | undefined {
    const values = this.texts(name);
    if (values?.some((value) => !choices.includes(value as T)))
      throw this.invalid(name, `among ${choices.join(', ')}`);
    return values as T[] | undefined;
  }

  integer(name: string, least: number, most: number): number | undefined {
    const value = this.one(name);
    if (value === undefined) return undefined;
    const number = this.isQuery && /^-?\d+$/.test(value as string) ? Number(value) : value;
    if (!Number.isInteger(number) || (number as number) < least || (number as number) > most)
      throw this.invalid(name, `an integer from ${least} to ${most}`);
    return number as number;
  }

  flag(name: string): boolean | undefined {
    const value = this.one(name);
    if (value === undefined) return undefined;
    if (this.isQuery ? value !== 'true' && value !== 'false' : typeof value !== 'boolean')
      throw this.invalid(name, 'true or false');
    return value === true || value === 'true';
  }

  private one(name: string): unknown {
    const value = this.values.get(name);
    if (!this.isQuery || value === undefined) return value;
    const [first, ...others] = value as string[];
    if (others.length > 0) throw this.invalid(name, 'given once');
    return first;
  }

  private lacks(name: string): never {
    throw this.invalid(name, 'given');
  }

  private invalid(name: string, expected: string): ApiFailure {
    return invalidField(this.at === '' ? name : `${this.at}.${name}`, expected);
  }
}

function refuseUnknown(names: readonly string[], known: readonly string[], at = ''): void {
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw invalidField(at === '' ? unknown : `${at}.${unknown}`, `left out: known are ${known.join(', ')}`);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.length <= apiBounds.textLength;
}
