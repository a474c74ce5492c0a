import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { Type } from 'class-transformer';
import { IsDate, IsInt, IsOptional, IsString } from 'class-validator';
import fc from 'fast-check';
import { z } from 'zod';
import { InvalidOptionError } from '../../lib/task/errors.js';
import { paramsCodec, type ParamsType } from '../../lib/task/params.js';
import { lockOf, type UniqueSource } from '../../lib/task/unique-key.js';
import type { UniquePlan } from '../../lib/task/unique-options.js';

class AccountId {
  readonly #value: number;
  constructor(value: number) {
    this.#value = value;
  }
  toString(): string {
    return String(this.#value);
  }
}

const all: UniquePlan = { phase: 'until_executed', onConflict: 'reject' };

/** The key of a task with these params. */
function keyOf(params: unknown, plan: Partial<UniquePlan> = {}, source: Partial<UniqueSource> = {}): string {
  return lockOf({ ...all, ...plan }, { job: 'charge', where: 'Charge', params, ...source }).key;
}

/** The key of a task that was enqueued with this input. */
async function keyOfInput(type: ParamsType | undefined, input: unknown, plan?: Partial<UniquePlan>) {
  const { value } = await paramsCodec('charge', type, 10_000).encode(input);
  return keyOf(value, plan, { type });
}

function shuffled(value: unknown, order: (keys: string[]) => string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => shuffled(item, order));
  if (typeof value !== 'object' || value === null) return value;
  const members = value as Record<string, unknown>;
  return Object.fromEntries(order(Object.keys(members)).map((key) => [key, shuffled(members[key], order)]));
}

describe('A lock', () => {
  it('has what the plan says, and a key of a fixed form', () => {
    const lock = lockOf(
      { phase: 'until_completed', onConflict: 'raise', ttlMs: 5, retryAfterMs: 7, by: () => 1, group: 'g' },
      { job: 'charge', where: 'Charge', params: {} },
    );
    const { key, ...rest } = lock;
    expect(key).toMatch(/^[\w-]{22}$/);
    expect(rest).toEqual({ phase: 'until_completed', onConflict: 'raise', ttlMs: 5, retryAfterMs: 7 });
  });

  it('does not show params, job or group in its key, however long they are', () => {
    const secret = 'card-4111';
    const key = keyOf({ card: secret.repeat(1_000) }, { group: secret }, { job: secret });
    expect(key).toMatch(/^[\w-]{22}$/);
    expect(Buffer.from(key, 'base64url').toString('latin1')).not.toContain(secret);
  });
});

describe('The key of params', () => {
  it('is the same for equal JSON, whatever the order of properties', () => {
    const orders = [
      (keys: string[]) => keys.toReversed(),
      (keys: string[]) => keys.toSorted(),
      (keys: string[]) => [...keys.slice(1), ...keys.slice(0, 1)],
    ];
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(...orders), (value, order) => {
        const copy: unknown = JSON.parse(JSON.stringify(shuffled(value, order)));
        expect(keyOf(copy)).toBe(keyOf(value));
      }),
    );
  });

  it('differs for JSON that differs', () => {
    const canonical = (value: unknown) => JSON.stringify(shuffled(value, (keys) => keys.toSorted()));
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 2 }), fc.jsonValue({ maxDepth: 2 }), (one, other) => {
        const [a, b] = [one, other].map((value) => JSON.parse(JSON.stringify(value)) as unknown);
        expect(keyOf(a) === keyOf(b)).toBe(canonical(a) === canonical(b));
      }),
    );
  });

  it.each<[unknown, unknown]>([
    [{ a: 1 }, { a: '1' }],
    [{ a: 0 }, { a: false }],
    [{ a: null }, {}],
    [{ a: '' }, {}],
    [{ a: [] }, { a: {} }],
    [{ a: [1, 2] }, { a: [2, 1] }],
    [{ a: [[1], 2] }, { a: [1, [2]] }],
    [{ a: 'x","b":"y' }, { a: 'x', b: 'y' }],
    [[], undefined],
    ['null', null],
    [{ a: { b: 1 } }, { a: { b: 2 } }],
  ])('differs for %j and %j', (one, other) => {
    expect(keyOf(one)).not.toBe(keyOf(other));
  });

  it('is the same whether a property is undefined or left out, at every depth', () => {
    expect(keyOf({ a: 1, b: undefined, c: { d: undefined } })).toBe(keyOf({ a: 1, c: {} }));
  });

  it('of no params at all tells its job from others, and from empty params', () => {
    expect(keyOf(undefined)).not.toBe(keyOf(undefined, {}, { job: 'refund' }));
    expect(keyOf(undefined)).not.toBe(keyOf({}));
  });
});

describe('The key of what params become', () => {
  class Refund {
    @IsString() user!: string;
    @IsOptional() @IsInt() cents: number = 100;
    @IsOptional() @IsDate() @Type(() => Date) on?: Date;
    @IsOptional() big?: bigint;
  }

  it('has the defaults of a class in it: left out, undefined and given are the same', async () => {
    const whole = await keyOfInput(Refund, { cents: 100, user: 'ada' });
    expect(await keyOfInput(Refund, { user: 'ada' })).toBe(whole);
    expect(await keyOfInput(Refund, { user: 'ada', cents: undefined, on: undefined })).toBe(whole);
    expect(await keyOfInput(Refund, Object.assign(new Refund(), { user: 'ada' }))).toBe(whole);
    expect(await keyOfInput(Refund, { user: 'ada', cents: 101 })).not.toBe(whole);
    expect(await keyOfInput(Refund, { user: 'ada' }, { by: ['cents'] })).toBe(
      await keyOfInput(Refund, { user: 'grace', cents: 100 }, { by: ['cents'] }),
    );
  });

  it('tells dates and bigints apart by their value', async () => {
    const on = (day: number) => keyOfInput(Refund, { user: 'ada', on: new Date(Date.UTC(2031, 0, day)) });
    expect(await on(1)).toBe(await on(1));
    expect(await on(1)).not.toBe(await on(2));
    const big = (value: bigint) => keyOfInput(Refund, { user: 'ada', big: value });
    expect(await big(2n ** 70n)).toBe(await big(2n ** 70n));
    expect(await big(2n ** 70n)).not.toBe(await big(2n ** 70n + 1n));
  });

  it('takes a date and its text for the same where nothing makes a date of it', async () => {
    const on = new Date(0);
    expect(await keyOfInput(undefined, { on })).toBe(await keyOfInput(undefined, { on: on.toJSON() }));
  });

  it('is refused where the output of a schema keeps to itself what tells it from others', async () => {
    const schema = z.object({ account: z.int().transform((value) => new AccountId(value)) });
    await expect(keyOfInput(schema, { account: 1 })).rejects.toThrow(/^Charge: unique\.by is .*AccountId/);
  });

  it('is there where all properties of a class, and of one within it, are left out', async () => {
    class Filter {
      @IsOptional() @IsString() declare text?: string;
    }
    class Search {
      @IsOptional() @Type(() => Filter) declare filter?: Filter;
    }
    class Bare {
      declare tag?: string;
    }
    const none = await keyOfInput(Search, {});
    expect(await keyOfInput(Search, undefined)).toBe(none);
    expect(await keyOfInput(Search, { filter: {} })).not.toBe(none);
    expect(await keyOfInput(Search, { filter: { text: 'a' } })).not.toBe(none);
    expect(await keyOfInput(Bare, {})).not.toBe(await keyOfInput(Bare, { tag: 'a' }));
  });

  it('is that of a plain object of another realm', () => {
    expect(keyOf(runInNewContext('({ a: {}, b: [{}] })'))).toBe(keyOf({ a: {}, b: [{}] }));
  });

  it('is that of the output of a schema, not of its input', async () => {
    const schema = z.object({ to: z.string().trim().toLowerCase(), from: z.string().default('-') });
    const key = await keyOfInput(schema, { to: ' ADA ' });
    expect(await keyOfInput(schema, { to: 'ada', from: '-' })).toBe(key);
    expect(await keyOfInput(schema, { to: 'grace' })).not.toBe(key);
  });
});

describe('The key of values that JSON does not know', () => {
  it.each<[string, unknown, unknown]>([
    ['a bigint and a number', 5n, 5],
    ['a bigint and text', 5n, '5'],
    ['NaN and null', NaN, null],
    ['Infinity and its opposite', Infinity, -Infinity],
    ['two maps', new Map([['a', 1]]), new Map([['a', 2]])],
    ['a map and an object', new Map([['a', 1]]), { a: 1 }],
    ['a map by number and one by text', new Map([[1, 1]]), new Map([['1', 1]])],
    ['two sets', new Set([1]), new Set([2])],
    ['a set and an array', new Set([1, 2]), [1, 2]],
    ['an empty map and an empty set', new Map(), new Set()],
    ['bytes', Uint8Array.of(1), Uint8Array.of(2)],
    ['buffers', Buffer.from('a'), Buffer.from('b')],
    ['addresses', new URL('http://a'), new URL('http://b')],
  ])('tells %s apart', (_, one, other) => {
    expect(keyOf({ one })).not.toBe(keyOf({ one: other }));
  });

  it('is the same for maps and sets in another order, for 0 and -0', () => {
    const map = (...keys: string[]) => new Map(keys.map((key) => [key, { b: 1, a: key }]));
    expect(keyOf(map('a', 'b'))).toBe(keyOf(map('b', 'a')));
    expect(keyOf(new Set([1, 'x', null]))).toBe(keyOf(new Set([null, 'x', 1])));
    expect(keyOf([-0])).toBe(keyOf([0]));
  });

  it('is that of what toJSON answers, which is asked once', () => {
    class Money {
      constructor(private readonly cents: number) {}
      toJSON(): unknown {
        return { cents: this.cents };
      }
    }
    expect(keyOf({ price: new Money(5) })).toBe(keyOf({ price: { cents: 5 } }));
    const itself = { a: 1, toJSON: (): unknown => itself };
    expect(keyOf({ itself })).toBe(keyOf({ itself: { a: 1 } }));
  });

  it('leaves methods out, as JSON does', () => {
    expect(keyOf({ a: 1, log: () => undefined })).toBe(keyOf({ a: 1 }));
  });

  const circular: Record<string, unknown> = {};
  circular.self = { of: circular };
  it.each<[string, unknown]>([
    ['a RegExp', /a/],
    ['an Error', new Error('a')],
    ['a Promise', Promise.resolve(1)],
    ['a WeakMap', new WeakMap()],
    ['URLSearchParams', new URLSearchParams('a=1')],
    ['an ArrayBuffer', new ArrayBuffer(2)],
    ['a boxed number', Object(5)],
    ['a function in a list', [() => 1]],
    ['a symbol in a list', [Symbol('a')]],
    ['an object within itself', circular],
    ['an instance with private state', new AccountId(1)],
    ['an instance of another realm', runInNewContext('new (class AccountId {})()')],
    ['an object that inherits its properties', Object.create({ account: 1 })],
  ])('is refused for %s, which could not be told from another', (_, value) => {
    const refused = () => keyOf({}, { by: () => ({ value }) });
    expect(refused).toThrow(InvalidOptionError);
    expect(refused).toThrow(/^Charge: unique\.by is .*, but must be .*told/);
    expect(() => keyOf({}, {}, { uniqueBy: { value } })).toThrow(/^Charge: uniqueBy is .*told/);
    expect(() => keyOf({ value })).toThrow(/^Charge: unique\.by is .*told/);
  });
});

describe('What makes two tasks the same', () => {
  const params = { user: 'ada', shop: 7, note: 'first' };
  const others = { user: 'ada', shop: 7, note: 'second' };

  it('may be some params, by name and in their order', () => {
    expect(keyOf(params)).not.toBe(keyOf(others));
    expect(keyOf(params, { by: ['user', 'shop'] })).toBe(keyOf(others, { by: ['user', 'shop'] }));
    expect(keyOf(params, { by: ['user'] })).not.toBe(keyOf({ user: 'grace' }, { by: ['user'] }));
    const [a, b] = [
      { one: 1, two: 2 },
      { one: 2, two: 1 },
    ];
    expect(keyOf(a, { by: ['one', 'two'] })).not.toBe(keyOf(b, { by: ['one', 'two'] }));
    expect(keyOf(params, { by: ['user', 'left'] })).toBe(keyOf(others, { by: ['user', 'left'] }));
  });

  it('by name tells a param that is null from one that is left out, and this from undefined not', () => {
    const by = ['user', 'team'];
    const without = keyOf({ user: 1 }, { by });
    expect(keyOf({ user: 1, team: null }, { by })).not.toBe(without);
    expect(keyOf({ user: 1, team: undefined }, { by })).toBe(without);
    expect(keyOf({ user: 1, team: [] }, { by })).not.toBe(without);
    expect(keyOf({ team: 1 }, { by })).not.toBe(without);
  });

  it('may be a getter of the params class', () => {
    class Range {
      constructor(
        readonly from: number,
        readonly to: number,
      ) {}
      get size(): number {
        return this.to - this.from;
      }
    }
    expect(keyOf(new Range(1, 3), { by: ['size'] })).toBe(keyOf(new Range(5, 7), { by: ['size'] }));
  });

  it('may be what a function makes of them', () => {
    const by = ({ shop }: { shop: number }) => shop % 5;
    expect(keyOf({ shop: 2 }, { by })).toBe(keyOf({ shop: 7 }, { by }));
    expect(keyOf({ shop: 2 }, { by })).not.toBe(keyOf({ shop: 8 }, { by }));
    expect(keyOf(params, { by: () => null })).toBe(keyOf({ user: 'grace' }, { by: () => null }));
  });

  it('is what uniqueBy has answered, before anything that unique.by says', () => {
    const source = { uniqueBy: { value: { user: 'ada' } } };
    const by = (): never => {
      throw new Error('not asked');
    };
    expect(keyOf(params, { by }, source)).toBe(keyOf(others, { by: ['note'] }, source));
    expect(keyOf(params, {}, source)).toBe(keyOf({ user: 'ada' }));
    expect(keyOf(params, {}, source)).not.toBe(keyOf(params, {}, { uniqueBy: { value: { user: 'eve' } } }));
  });

  it.each<[string, Partial<UniquePlan>, Partial<UniqueSource>, RegExp]>([
    ['a function that answers nothing', { by: () => undefined }, {}, /^Charge: unique\.by is undefined, but/],
    [
      'a function that answers a function',
      { by: () => () => 1 },
      {},
      /^Charge: unique\.by is a function, but/,
    ],
    [
      'a function that is asynchronous',
      { by: async () => 1 },
      {},
      /^Charge: unique\.by is .*, but must be .*uniqueBy/,
    ],
    [
      'a uniqueBy that answers nothing',
      {},
      { uniqueBy: { value: undefined } },
      /^Charge: uniqueBy is undefined/,
    ],
    [
      'names of which none is there',
      { by: ['usr', 'shp'] },
      {},
      /^Charge: unique\.by is \["usr","shp"\], but/,
    ],
    [
      'names of params that have none',
      { by: ['user'] },
      { params: 7 },
      /^Charge: unique\.by is \["user"\], but/,
    ],
    ['what every object has', { by: ['__proto__'] }, {}, /^Charge: unique\.by is \["__proto__"\], but/],
    ['the name of a method', { by: ['toString'] }, {}, /^Charge: unique\.by is \["toString"\], but/],
  ])('is refused where it is %s: all tasks would be one', (_, plan, source, message) => {
    const refused = () => keyOf(params, plan, source);
    expect(refused).toThrow(InvalidOptionError);
    expect(refused).toThrow(message);
  });

  it('is the job and the params, unless a group takes the place of the job', () => {
    const other = { job: 'refund' };
    expect(keyOf(params)).not.toBe(keyOf(params, {}, other));
    expect(keyOf(params, { group: 'money' })).toBe(keyOf(params, { group: 'money' }, other));
    expect(keyOf(params, { group: 'money' })).not.toBe(keyOf(others, { group: 'money' }));
    expect(keyOf(params, { group: 'money' })).not.toBe(keyOf(params, { group: 'time' }));
    expect(keyOf(params, { group: 'charge' })).not.toBe(keyOf(params));
  });

  it('does not depend on the lock, its conflict or its times', () => {
    const plan = { phase: 'while_executing', onConflict: 'reschedule', ttlMs: 1, retryAfterMs: 2 } as const;
    expect(keyOf(params, plan)).toBe(keyOf(params));
  });
});
