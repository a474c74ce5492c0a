import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  InvalidOptionError,
  InvalidParamsError,
  PayloadTooLargeError,
  UnreadableParamsError,
} from '../../lib/task/errors.js';
import { paramsCodec, type Encoded, type ParamsType } from '../../lib/task/params.js';

const codec = paramsCodec('Clean', undefined, 1024 * 1024);

function encode(input: unknown): Encoded {
  return codec.encode(input) as Encoded;
}

function roundTrip(input: unknown): unknown {
  return codec.decode(encode(input).text);
}

function violations(input: unknown): Record<string, string> {
  return Object.fromEntries(
    refusal(() => encode(input)).violations.map(({ path, message }) => [path, message]),
  );
}

function refusal(work: () => unknown): InvalidParamsError {
  try {
    work();
  } catch (error) {
    if (error instanceof InvalidParamsError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = { in: value };
  return value;
}

describe('params without a declared type', () => {
  it.each([
    ['undefined', undefined],
    ['null', null],
    ['false', false],
    ['0', 0],
    ['an empty text', ''],
    ['an empty object', {}],
    ['an empty array', []],
    ['nested objects and arrays', { a: [{ b: [[], {}] }, null, false, 0, ''] }],
    ['text of every kind', 'žluť 漢字 👩‍👩‍👧 \u0000 \ud800 lone \udfff "\\/\n'],
    ['keys of every kind', { '': 1, 'a b': 2, '\u0000': 3, '\ud800': 4, '7': 5, ключ: 6, toString: 7 }],
  ])('arrive as they were sent: %s', (_name, input) => {
    expect(roundTrip(input)).toStrictEqual(input);
    expect(encode(input).value).toStrictEqual(input);
  });

  it('may have a key named constructor', () => {
    const input = { constructor: 'Bob', nested: { constructor: { year: 1931 } } };
    expect(JSON.stringify(roundTrip(input))).toBe(JSON.stringify(input));
    expect(JSON.stringify(encode(input).value)).toBe(JSON.stringify(input));
  });

  it('arrive as JSON gives them back, for any JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary', maxDepth: 6 }), (input) => {
        // Keys that could pollute are refused, which other tests state.
        fc.pre(!/"(__proto__|prototype)"/.test(JSON.stringify(input)));
        const asJson: unknown = JSON.parse(JSON.stringify(input));
        expect(encode(input).text).toBe(JSON.stringify(input));
        expect(encode(input).value).toStrictEqual(asJson);
        expect(roundTrip(input)).toStrictEqual(asJson);
      }),
    );
  });

  it('are either refused or seen by the enqueuer as the run will see them, for any value at all', () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withTypedArray: true,
      withSparseArray: true,
      withBoxedValues: true,
      withNullPrototype: true,
    });
    fc.assert(
      fc.property(anything, (input) => {
        let encoded: Encoded;
        try {
          encoded = encode(input);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidParamsError);
          return;
        }
        expect(codec.decode(encoded.text)).toStrictEqual(encoded.value);
      }),
      { numRuns: 1000 },
    );
  });

  it('follow JSON where it has a form of its own', () => {
    class Money {
      constructor(
        readonly amount: number,
        readonly currency: string,
      ) {}
    }
    const shared = { shared: true };
    const input = {
      at: new Date(0),
      site: new URL('https://example.com/'),
      boxed: [new String('a'), new Number(1), new Boolean(false)],
      left: undefined,
      money: new Money(5, 'EUR'),
      twice: [shared, shared],
      bare: Object.assign(Object.create(null), { a: 1 }),
      under: { toJSON: (key: string) => `${key} converted` },
      zero: -0,
    };

    const { value, text } = encode(input);

    expect(value).toStrictEqual({
      at: '1970-01-01T00:00:00.000Z',
      site: 'https://example.com/',
      boxed: ['a', 1, false],
      money: { amount: 5, currency: 'EUR' },
      twice: [{ shared: true }, { shared: true }],
      bare: { a: 1 },
      under: 'under converted',
      zero: 0,
    });
    expect(codec.decode(text)).toStrictEqual(value);
  });

  it('take what toJSON returns only once where it returns its own object', () => {
    class Account {
      id = 1;
      toJSON() {
        return this;
      }
    }
    expect(roundTrip(new Account())).toStrictEqual({ id: 1 });
  });

  it('are a copy, so that what the caller changes later changes nothing', () => {
    const input = { list: [1] };
    const { value } = encode(input);
    input.list.push(2);
    expect(value).toStrictEqual({ list: [1] });
  });

  it('are refused with every value that would not arrive, in one error', () => {
    class Query extends Object {}
    Object.assign(Query.prototype, Object.fromEntries([['then', () => undefined]]));
    const cycle: Record<string, unknown> = {};
    cycle['again'] = [cycle];
    const input = {
      call: () => 1,
      symbol: Symbol('s'),
      [Symbol('key')]: 1,
      cycle,
      numbers: [NaN, Infinity, -Infinity],
      big: 1n,
      boxedBig: Object(1n),
      holes: Object.assign([1], { 2: undefined, 3: 2 }),
      date: new Date(NaN),
      map: new Map(),
      set: new Set([1]),
      weakMap: new WeakMap(),
      weakSet: new WeakSet(),
      weakRef: new WeakRef({}),
      pattern: /x/g,
      promise: Promise.resolve(),
      thenable: new Query(),
      bytes: new Uint8Array(2),
      buffer: Buffer.from('x'),
      view: new DataView(new ArrayBuffer(1)),
      arrayBuffer: new ArrayBuffer(1),
      error: Object.assign(new Error('lost'), { code: 'E' }),
      query: new URLSearchParams('a=1'),
      'two words': [{ deep: () => 1 }],
    };

    const found = refusal(() => encode(input));

    expect(found.violations.map(({ path }) => path).sort()).toEqual(
      [
        'call',
        'symbol',
        '[Symbol(key)]',
        'cycle.again[0]',
        'numbers[0]',
        'numbers[1]',
        'numbers[2]',
        'big',
        'boxedBig',
        'holes[1]',
        'holes[2]',
        'date',
        'map',
        'set',
        'weakMap',
        'weakSet',
        'weakRef',
        'pattern',
        'promise',
        'thenable',
        'bytes',
        'buffer',
        'view',
        'arrayBuffer',
        'error',
        'query',
        '["two words"][0].deep',
      ].sort(),
    );
    expect(found.message).toContain('Clean: invalid params: ');
    expect(found.message).toContain('numbers[1]: Infinity would arrive as null');
    expect(found.message).toContain('buffer: a value of type Buffer would not arrive as sent');
  });

  it.each([
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['a BigInt', 1n],
    ['NaN', NaN],
    ['a Map', new Map()],
  ])('are refused as a whole where they are %s', (_name, input) => {
    expect(Object.keys(violations(input))).toEqual(['']);
  });

  it('name the place of a getter, a toJSON or a proxy that throws, and keep what it threw', () => {
    const thrown = new Error('no access');
    const input = {
      got: {
        get secret(): string {
          throw thrown;
        },
      },
      converted: [
        {
          toJSON() {
            throw new Error('no form');
          },
        },
      ],
      trapped: new Proxy(
        {},
        {
          ownKeys() {
            throw new Error('no keys');
          },
        },
      ),
    };

    const found = refusal(() => encode(input));

    expect(found.violations).toEqual([
      { path: 'got.secret', message: 'cannot be read: no access' },
      { path: 'converted[0]', message: 'cannot be read: no form' },
      { path: 'trapped', message: 'cannot be read: no keys' },
    ]);
    expect(found.cause).toBe(thrown);
  });

  it('read each property once, so that what was checked is what is stored', () => {
    let reads = 0;
    const input = {
      get n() {
        return ++reads === 1 ? 'first' : NaN;
      },
    };
    expect(encode(input)).toEqual({ value: { n: 'first' }, text: '{"n":"first"}' });
  });

  it('may be nested 500 levels deep, and are refused beyond', () => {
    expect(roundTrip(nested(500))).toEqual(nested(500));
    expect(refusal(() => encode(nested(501))).message).toContain('is nested deeper than 500 levels');
    expect(refusal(() => encode(nested(100_000))).message).toContain('is nested deeper than 500 levels');
  });

  it('end a toJSON that never ends', () => {
    class Endless {
      toJSON() {
        return new Endless();
      }
    }
    expect(Object.keys(violations({ here: new Endless() }))).toEqual(['here']);
  });

  it('list no more than a hundred violations', () => {
    const found = refusal(() => encode({ list: Object.assign([], { length: 4_000_000_000 }) }));
    expect(found.violations).toHaveLength(101);
    expect(found.violations.at(-1)).toEqual({ path: '', message: 'and more' });
    const members = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`n${index}`, NaN]));
    expect(refusal(() => encode(members)).violations).toHaveLength(101);
  });

  it.each([
    ['plain', '{"a":{"__proto__":{"polluted":true}}}', 'a.__proto__'],
    ['escaped', '{"a":{"\\u005f_proto__":{"polluted":true}}}', 'a.__proto__'],
    ['spaced', '{"a":{"__proto__" : {"polluted":true}}}', 'a.__proto__'],
    ['by way of the constructor', '{"constructor":{"prototype":{"polluted":true}}}', 'constructor.prototype'],
    ['escaped, too', '{"constructor":{"proto\\u0074ype":{"polluted":true}}}', 'constructor.prototype'],
  ])(
    'refuse keys that could change other objects, at enqueue and before the run: %s',
    (_name, text, path) => {
      expect(Object.keys(violations(JSON.parse(text)))).toEqual([path]);
      expect(refusal(() => codec.decode(text)).violations.map((found) => found.path)).toEqual([path]);
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    },
  );

  it('tell that a stored text is no JSON', () => {
    for (const text of ['{"a":', 'undefined', '{a:1}', ' ']) {
      expect(() => codec.decode(text)).toThrow(UnreadableParamsError);
    }
  });

  it('are refused where they take more bytes than allowed, whatever their length in characters', () => {
    const tight = paramsCodec('Clean', undefined, 12);
    expect(tight.encode('1234567890')).toMatchObject({ text: '"1234567890"' });
    expect(tight.encode('éé漢é')).toMatchObject({ text: '"éé漢é"' });
    expect(() => tight.encode('12345678901')).toThrow(new PayloadTooLargeError('Clean', 13, 12));
    expect(() => tight.encode('éé漢漢é')).toThrow(new PayloadTooLargeError('Clean', 14, 12));
  });

  it('store no text where there are none', () => {
    expect(codec.encode(undefined)).toEqual({ value: undefined, text: '' });
    expect(codec.encode(null)).toEqual({ value: null, text: 'null' });
  });
});

describe('the params option', () => {
  it.each([['text'], [7], [null], [{}], [() => 1]])(
    'is refused where it is neither class nor schema: %p',
    (params) => {
      expect(() => paramsCodec('Clean', params as unknown as ParamsType, 10)).toThrow(InvalidOptionError);
    },
  );
});
