import { describe, expect, it } from '@jest/globals';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import * as v from 'valibot';
import { z } from 'zod';
import { InvalidParamsError, PayloadTooLargeError, UnreadableParamsError } from '../../lib/task/errors.js';
import { paramsCodec, type ParamsCodec } from '../../lib/task/params.js';

function codecOf<P>(schema: StandardSchemaV1<unknown, P>): ParamsCodec<P> {
  return paramsCodec('Send', schema, 1024 * 1024);
}

async function roundTrip<P>(schema: StandardSchemaV1<unknown, P>, input: unknown): Promise<P> {
  const codec = codecOf(schema);
  const { value, text } = await codec.encode(input);
  const arrived = await codec.decode(text);
  expect(arrived).toStrictEqual(value);
  return arrived;
}

async function refusal(work: () => unknown): Promise<InvalidParamsError> {
  try {
    await work();
  } catch (error) {
    if (error instanceof InvalidParamsError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

function schemaOf<P>(validate: StandardSchemaV1.Props<unknown, P>['validate']): StandardSchemaV1<unknown, P> {
  return { '~standard': { version: 1, vendor: 'test', validate } };
}

describe('params declared by a schema', () => {
  it('are stored as they were given and arrive as the schema puts them out', async () => {
    const schema = z.object({
      to: z.string().trim(),
      at: z.coerce.date(),
      amount: z.coerce.bigint(),
      from: z.string().default('nobody'),
    });
    const codec = codecOf(schema);

    const { value, text } = await codec.encode({ to: ' ada ', at: new Date(0), amount: '7' });

    expect(JSON.parse(text)).toEqual({ to: ' ada ', at: '1970-01-01T00:00:00.000Z', amount: '7' });
    expect(value).toEqual({ to: 'ada', at: new Date(0), amount: 7n, from: 'nobody' });
    expect(await codec.decode(text)).toEqual(value);
  });

  it('are encoded and decoded at once where the schema is not async', () => {
    const codec = codecOf(z.object({ n: z.number() }));
    expect(codec.encode({ n: 1 })).toEqual({ value: { n: 1 }, text: '{"n":1}' });
    expect(codec.decode('{"n":1}')).toEqual({ n: 1 });
  });

  it('have the type that the schema puts out', async () => {
    const { value } = await paramsCodec('Send', z.object({ n: z.string().transform(Number) }), 100).encode({
      n: '4',
    });
    const n: number = value.n;
    expect(n).toBe(4);
  });

  it('may be none where the schema allows it', async () => {
    expect(await roundTrip(z.undefined(), undefined)).toBeUndefined();
    expect(await roundTrip(z.null(), null)).toBeNull();
    expect(await roundTrip(z.object({ n: z.number() }).default({ n: 5 }), undefined)).toEqual({ n: 5 });
    expect((await refusal(() => codecOf(z.object({})).encode(undefined))).violations).toHaveLength(1);
    expect((await refusal(() => codecOf(z.undefined()).encode(null))).violations).toHaveLength(1);
  });

  it.each([
    [
      'zod',
      z.object({ address: z.object({ street: z.string() }), items: z.array(z.object({ sku: z.string() })) }),
    ],
    [
      'valibot',
      v.object({ address: v.object({ street: v.string() }), items: v.array(v.object({ sku: v.string() })) }),
    ],
  ])('list every violation with its path: %s', async (_vendor, schema) => {
    const codec = codecOf(schema as StandardSchemaV1);
    const input = { address: {}, items: [{ sku: 'a' }, { sku: 'b' }, { sku: 3 }] };
    for (const work of [() => codec.encode(input), () => codec.decode(JSON.stringify(input))]) {
      const found = await refusal(work);
      expect(found.violations.map(({ path }) => path)).toEqual(['address.street', 'items[2].sku']);
      expect(found.cause).toBeUndefined();
    }
  });

  it('are checked as they will be read back, and the error says so of a date', async () => {
    const found = await refusal(() =>
      codecOf(z.object({ at: z.date(), n: z.number() })).encode({ at: new Date(0), n: 'x' }),
    );
    expect(found.violations).toEqual([
      {
        path: 'at',
        message: expect.stringMatching(/params are checked as they will be read back.*z\.coerce\.date/),
      },
      { path: 'n', message: expect.not.stringContaining('z.coerce') },
    ]);
    const inValibot = await refusal(() =>
      codecOf(v.object({ list: v.array(v.date()) })).encode({ list: [new Date(0)] }),
    );
    expect(inValibot.violations).toEqual([
      { path: 'list[0]', message: expect.stringContaining('z.coerce.date()') },
    ]);
  });

  it('wait for an async schema', async () => {
    const schema = z.string().refine(async (name) => {
      await new Promise((resolve) => setImmediate(resolve));
      return name !== 'taken';
    });
    expect(await roundTrip(schema, 'free')).toBe('free');
    expect((await refusal(() => codecOf(schema).encode('taken'))).violations).toHaveLength(1);
    expect((await refusal(() => codecOf(schema).decode('"taken"'))).violations).toHaveLength(1);
  });

  it.each([
    [
      'throws',
      () => {
        throw 'no database';
      },
    ],
    ['rejects', () => Promise.reject('no database')],
  ])('fail with the cause where the schema %s', async (_how, validate) => {
    const codec = codecOf(schemaOf(validate));
    for (const work of [() => codec.encode(1), () => codec.decode('1')]) {
      const found = await refusal(work);
      expect(found.cause).toBe('no database');
      expect(found.message).toBe('Send: invalid params: the schema threw: "no database"');
    }
  });

  it('name places by keys, objects with a key, and symbols', async () => {
    const path = ['a', { key: 0 }, { key: 'b c' }, Symbol('s'), { key: 'd' }];
    const schema = schemaOf(() => ({ issues: [{ message: 'wrong', path }, { message: 'all wrong' }] }));
    expect((await refusal(() => codecOf(schema).encode(null))).violations).toEqual([
      { path: 'a[0]["b c"][Symbol(s)].d', message: 'wrong' },
      { path: '', message: 'all wrong' },
    ]);
  });

  it('are refused before the schema sees them where they would not arrive', async () => {
    let seen = 0;
    const codec = codecOf(schemaOf((value) => ({ value: (seen++, value) })));
    const found = await refusal(() => codec.encode({ n: 1n, map: new Map(), list: [() => 1] }));
    expect(found.violations.map(({ path }) => path)).toEqual(['n', 'map', 'list[0]']);
    expect(seen).toBe(0);
  });

  it('stay as the caller has them, whatever the schema does to what it gets', async () => {
    const schema = schemaOf((value) => {
      delete (value as { kind?: string }).kind;
      return { value };
    });
    const input = { kind: 'cat' };
    const { text } = await codecOf(schema).encode(input);
    expect(input).toEqual({ kind: 'cat' });
    expect(text).toBe('{"kind":"cat"}');
  });

  it('refuse keys that could change other objects', async () => {
    const codec = codecOf(z.record(z.string(), z.unknown()));
    for (const text of ['{"__proto__":{"polluted":1}}', '{"\\u005f_proto__":{"polluted":1}}']) {
      expect((await refusal(() => codec.encode(JSON.parse(text)))).violations[0]?.path).toBe('__proto__');
      expect((await refusal(() => codec.decode(text))).violations[0]?.path).toBe('__proto__');
    }
  });

  it('end in a typed error where a stored text overflows the stack of the schema', async () => {
    type Tree = Tree[];
    const tree: z.ZodType<Tree> = z.lazy(() => z.array(tree));
    const text = '['.repeat(100_000) + ']'.repeat(100_000);
    expect((await refusal(() => codecOf(tree).decode(text))).cause).toBeInstanceOf(RangeError);
    const deepest: unknown = JSON.parse('['.repeat(500) + ']'.repeat(500));
    expect(await roundTrip(tree, deepest)).toEqual(deepest);
  });

  it('may be declared by a schema that is a function', async () => {
    const schema = Object.assign(
      () => 1,
      schemaOf((value) => ({ value })),
    );
    expect(await roundTrip(schema, { n: 1 })).toEqual({ n: 1 });
  });

  it('tell unreadable and too large texts', async () => {
    expect(() => codecOf(z.unknown()).decode('{')).toThrow(UnreadableParamsError);
    expect(() => paramsCodec('Send', z.string(), 5).encode('long text')).toThrow(PayloadTooLargeError);
  });
});
