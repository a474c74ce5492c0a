import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { Exclude, Expose, Transform, Type } from 'class-transformer';
import {
  Allow,
  IsArray,
  IsDate,
  IsDefined,
  IsEmail,
  IsInt,
  IsOptional,
  IsString,
  Max,
  Min,
  Validate,
  ValidateNested,
  ValidatorConstraint,
  type ValidatorConstraintInterface,
} from 'class-validator';
import { InvalidParamsError, PayloadTooLargeError, UnreadableParamsError } from '../../lib/task/errors.js';
import { paramsCodec, type ParamsCodec } from '../../lib/task/params.js';

function codecOf<P>(type: new () => P): ParamsCodec<P> {
  return paramsCodec('Send', type, 1024 * 1024);
}

async function roundTrip<P>(type: new () => P, input: unknown): Promise<P> {
  const codec = codecOf(type);
  const { value, text } = await codec.encode(input);
  const arrived = await codec.decode(text);
  expect(arrived).toStrictEqual(value);
  return arrived;
}

async function refusal(work: unknown): Promise<InvalidParamsError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof InvalidParamsError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

async function paths(work: unknown): Promise<string[]> {
  return (await refusal(work)).violations.map(({ path }) => path);
}

class Welcome {
  @IsEmail() to!: string;
  @IsOptional() @IsString() from?: string = 'no-reply@example.com';
}

class Address {
  @IsString() street!: string;
  @IsInt() zip: number = 0;
}

class Item {
  @IsString() sku!: string;
  @Allow() price!: bigint;
  @Allow() discount?: bigint;
}

class Order {
  @IsInt() @Min(1) count!: number;
  @IsDate() @Type(() => Date) placedAt!: Date;
  @ValidateNested() @Type(() => Address) address!: Address;
  @IsArray() @ValidateNested() @Type(() => Item) items!: Item[];
  @IsDefined() total!: bigint;
}

const order = {
  count: 2,
  placedAt: new Date('2031-05-06T07:08:09.010Z'),
  address: { street: 'Na Příkopě', zip: 11000 },
  items: [
    { sku: 'a', price: 2n ** 80n },
    { sku: 'b', price: -5n, discount: 0n },
  ],
  total: 9_007_199_254_740_993n,
};

describe('params declared by a class', () => {
  it('arrive as an instance with its defaults filled', async () => {
    const arrived = await roundTrip(Welcome, { to: 'ada@example.com' });
    expect(arrived).toBeInstanceOf(Welcome);
    expect(arrived).toEqual({ to: 'ada@example.com', from: 'no-reply@example.com' });
  });

  it('store their defaults, so that a later default changes no stored task', async () => {
    const { text } = await codecOf(Welcome).encode({ to: 'ada@example.com' });
    expect(JSON.parse(text)).toEqual({ to: 'ada@example.com', from: 'no-reply@example.com' });
  });

  it('fall back to the default for undefined, not for null', async () => {
    expect(await roundTrip(Welcome, { to: 'ada@example.com', from: undefined })).toMatchObject({
      from: 'no-reply@example.com',
    });
    expect(await roundTrip(Welcome, { to: 'ada@example.com', from: null })).toMatchObject({ from: null });
  });

  it('fall back to the default of an exposed property, too', async () => {
    class Exposed {
      @Expose() a: string = 'default';
      @Expose({ name: 'b' }) other: number = 7;
    }
    expect(await roundTrip(Exposed, {})).toEqual({ a: 'default', other: 7 });
    expect(await roundTrip(Exposed, { a: 'x', b: 8 })).toEqual({ a: 'x', other: 8 });
  });

  it('count as an empty object where there are none', async () => {
    class Options {
      @IsInt() depth = 3;
    }
    expect(await roundTrip(Options, undefined)).toEqual({ depth: 3 });
    expect(await codecOf(Options).decode('')).toEqual({ depth: 3 });
  });

  it('arrive with their nested classes, dates and bigints', async () => {
    const arrived = await roundTrip(Order, order);
    expect(arrived).toEqual(order);
    expect(arrived.placedAt).toBeInstanceOf(Date);
    expect(arrived.address).toBeInstanceOf(Address);
    expect(arrived.items[1]).toBeInstanceOf(Item);
  });

  it('may be given as an instance of the class', async () => {
    const input = Object.assign(new Order(), order, {
      address: Object.assign(new Address(), order.address),
      items: order.items.map((item) => Object.assign(new Item(), item)),
    });
    expect(await roundTrip(Order, input)).toEqual(order);
  });

  it('may be given as an instance whose dates a @Transform stores', async () => {
    class Event {
      @Transform(({ value }) => value.getTime(), { toPlainOnly: true })
      @Transform(({ value }) => new Date(value), { toClassOnly: true })
      @IsDate()
      at!: Date;
    }
    const input = Object.assign(new Event(), { at: new Date(5) });
    expect((await codecOf(Event).encode(input)).text).toBe('{"at":5}');
    expect(await roundTrip(Event, input)).toEqual(input);
  });

  it('may be given as an instance whose stored form has other names and other classes', async () => {
    abstract class Pet {
      @IsString() name!: string;
    }
    class Cat extends Pet {
      @IsInt() lives: number = 9;
    }
    class Dog extends Pet {
      @IsInt() walks: number = 2;
    }
    @Exclude()
    class Owner {
      @Expose({ name: 'full_name' }) fullName!: string;
      @Expose()
      @Type(() => Pet as never, {
        discriminator: {
          property: 'kind',
          subTypes: [
            { name: 'cat', value: Cat },
            { name: 'dog', value: Dog },
          ],
        },
      })
      pets: Pet[] = [];
    }
    const pets = [Object.assign(new Cat(), { name: 'Tom' }), Object.assign(new Dog(), { name: 'Rex' })];
    const input = Object.assign(new Owner(), { fullName: 'Ada', pets });

    const arrived = await roundTrip(Owner, input);

    expect(arrived.fullName).toBe('Ada');
    expect(arrived.pets.map((pet) => pet.constructor)).toEqual([Cat, Dog]);
    expect(arrived.pets).toEqual(pets);
    expect(Object.keys(pets[0]!)).not.toContain('kind');

    const plain = { full_name: 'Ada', pets: [{ kind: 'dog', name: 'Rex' }] };
    expect((await roundTrip(Owner, plain)).pets[0]).toBeInstanceOf(Dog);
    expect(plain.pets[0]).toEqual({ kind: 'dog', name: 'Rex' });
  });

  it.each([
    ['false', false],
    ['0', 0],
    ['an empty text', ''],
    ['null', null],
    ['text of every kind', 'ž 漢 👩‍👩‍👧 \u0000 \ud800'],
    ['an array', [[], {}, null]],
    ['an object', { a: { b: [1, { c: false }] } }],
  ])('arrive as they were sent in a property without a type: %s', async (_name, any) => {
    class Loose {
      @Allow() any: unknown = 'default';
    }
    expect(await roundTrip(Loose, { any })).toEqual({ any });
  });

  it('need no decorators, and keep what the class does not declare', async () => {
    class Plain {
      a = 1;
    }
    expect(await roundTrip(Plain, { b: { c: 2 } })).toEqual({ a: 1, b: { c: 2 } });
  });

  it('go through @Expose, @Exclude and @Transform on their way', async () => {
    class Shaped {
      @Expose({ name: 'n' }) name!: string;
      @Exclude() secret?: string;
      @Transform(({ value }) => value.split(','), { toClassOnly: true })
      @Transform(({ value }) => value.join(','), { toPlainOnly: true })
      tags!: string[];
    }
    const codec = codecOf(Shaped);
    const { value, text } = await codec.encode({ n: 'a', secret: 's', tags: 'x,y' });
    expect(JSON.parse(text)).toEqual({ n: 'a', tags: 'x,y' });
    expect(value).toEqual({ name: 'a', tags: ['x', 'y'] });
    expect(await codec.decode(text)).toEqual(value);
  });

  it('are validated as they will be read back, so that a @Transform that runs twice is seen at enqueue', async () => {
    class Priced {
      @Transform(({ value }) => value * 100) @Max(10_000) cents!: number;
    }
    expect(await paths(codecOf(Priced).encode({ cents: 50 }))).toEqual(['cents']);
    expect(await roundTrip(Priced, { cents: 0.01 })).toEqual({ cents: 10_000 });
  });

  it('list every violation with its path', async () => {
    const found = await refusal(
      codecOf(Order).encode({
        count: 0.5,
        placedAt: '2031-05-06',
        address: { zip: 'x' },
        items: [
          { sku: 'ok', price: 1n },
          { sku: 'ok', price: 'much' },
          { sku: 5, price: true },
        ],
      }),
    );
    const places = found.violations.map(({ path }) => path).sort();
    expect(places).toEqual([
      'address.street',
      'address.zip',
      'count',
      'count',
      'items[1].price',
      'items[2].price',
      'items[2].sku',
      'total',
    ]);
    expect(found.message).toContain('items[2].sku: sku must be a string');
    expect(found.message).toContain('items[1].price: price must be a bigint');
  });

  it('are checked again before the run', async () => {
    const codec = codecOf(Order);
    const { text } = await codec.encode(order);
    expect(await paths(codec.decode(text.replace('"sku":"b"', '"sku":5')))).toEqual(['items[1].sku']);
    expect(await paths(codec.decode(text.replace('"price":"-5"', '"price":""')))).toEqual(['items[1].price']);
  });

  it('wait for async validators', async () => {
    @ValidatorConstraint({ async: true })
    class IsFree implements ValidatorConstraintInterface {
      async validate(name: string): Promise<boolean> {
        await new Promise((resolve) => setImmediate(resolve));
        return name !== 'taken';
      }
    }
    class Claim {
      @Validate(IsFree) name!: string;
    }
    expect(await roundTrip(Claim, { name: 'free' })).toEqual({ name: 'free' });
    expect(await paths(codecOf(Claim).encode({ name: 'taken' }))).toEqual(['name']);
    expect(await paths(codecOf(Claim).decode('{"name":"taken"}'))).toEqual(['name']);
  });

  it.each([['sync'], ['async']])('fail with what a %s validator threw as the cause', async (kind) => {
    const thrown = new Error('no database');
    @ValidatorConstraint()
    class Broken implements ValidatorConstraintInterface {
      validate(): boolean | Promise<boolean> {
        if (kind === 'sync') throw thrown;
        return Promise.reject(thrown);
      }
    }
    class Claim {
      @Validate(Broken) name!: string;
    }
    for (const work of [codecOf(Claim).encode({}), codecOf(Claim).decode('{}')]) {
      const found = await refusal(work);
      expect(found.cause).toBe(thrown);
      expect(found.message).toBe('Send: invalid params: Claim threw: no database');
    }
  });

  it('fail with what the class or a @Transform threw as the cause', async () => {
    class Unbuildable {
      constructor() {
        throw new Error('not without arguments');
      }
    }
    class Trimmed {
      @Transform(({ value }) => value.trim()) name!: string;
    }
    expect((await refusal(codecOf(Unbuildable).encode({}))).message).toContain('not without arguments');
    expect((await refusal(codecOf(Trimmed).encode({ name: 5 }))).cause).toBeInstanceOf(TypeError);
    expect((await refusal(codecOf(Trimmed).decode('{"name":5}'))).cause).toBeInstanceOf(TypeError);
  });

  it('report what is invalid rather than the @Transform that could not store it', async () => {
    class Event {
      @IsDate() @Transform(({ value }) => value.toISOString(), { toPlainOnly: true }) at!: Date;
    }
    expect(await refusal(codecOf(Event).encode({ at: 5 }))).toMatchObject({
      violations: [{ path: 'at', message: 'at must be a Date instance' }],
    });
  });

  it('list what would not arrive and what is invalid in one error', async () => {
    class Event {
      @Type(() => Date) at!: Date;
      @IsInt() count!: number;
    }
    expect(await paths(codecOf(Event).encode({ at: 'tomorrow', count: 'x' }))).toEqual(['at', 'count']);
  });

  it('may hold objects that refer to each other where a @Transform makes and stores them', async () => {
    class Node {
      self = this;
      constructor(readonly name: string) {}
    }
    class Graph {
      @Transform(({ value }) => new Node(value), { toClassOnly: true })
      @Transform(({ value }) => value.name, { toPlainOnly: true })
      root!: Node;
    }
    const { value, text } = await codecOf(Graph).encode({ root: 'a' });
    expect(text).toBe('{"root":"a"}');
    expect(value.root.self.name).toBe('a');
  });

  it('refuse a date that is none, though a validator would let its null pass', async () => {
    class Event {
      @IsOptional() @Type(() => Date) at?: Date;
    }
    expect(await paths(codecOf(Event).encode({ at: 'tomorrow' }))).toEqual(['at']);
    expect(await paths(codecOf(Event).encode({ at: new Date(NaN) }))).toEqual(['at']);
  });

  it.each([['text'], [7], [true], [null], [[]], [[{ to: 'ada@example.com' }]]])(
    'must be an object: %j is refused',
    async (input) => {
      expect(await paths(codecOf(Welcome).encode(input))).toEqual(['']);
      expect(await paths(codecOf(Welcome).decode(JSON.stringify(input)))).toEqual(['']);
    },
  );

  it('are refused with every value that would not arrive, before class-transformer sees it', async () => {
    let called = false;
    const cycle: Record<string, unknown> = { to: 'ada@example.com' };
    cycle['cycle'] = cycle;
    cycle['call'] = () => (called = true);
    cycle['map'] = new Map();
    cycle['list'] = [undefined];
    cycle['deep'] = { get: NaN };
    expect(await paths(codecOf(Welcome).encode(cycle))).toEqual([
      'cycle',
      'call',
      'map',
      'list[0]',
      'deep.get',
    ]);
    const instance = Object.assign(new Welcome(), { to: 'ada@example.com', self: {} });
    instance.self = [instance];
    expect(await paths(codecOf(Welcome).encode(instance))).toEqual(['self[0]']);
    expect(called).toBe(false);
  });

  it('refuse a BigInt that nothing would make a BigInt again', async () => {
    class Loose {
      @Allow() any: unknown;
      @Allow() list: bigint[] = [];
      undecorated?: bigint;
      fine: number = 1;
    }
    const input = { any: { n: 1n }, list: [1n], undecorated: 2n };
    expect(await paths(codecOf(Loose).encode(input))).toEqual(
      expect.arrayContaining(['any.n', 'list[0]', 'undecorated']),
    );
    expect(await paths(codecOf(Loose).encode(Object.assign(new Loose(), input)))).toHaveLength(3);
  });

  it('take a BigInt that a @Transform makes a BigInt again', async () => {
    class Batch {
      @Transform(({ value }) => value.map(BigInt), { toClassOnly: true })
      @Transform(({ value }) => value.map(String), { toPlainOnly: true })
      ids!: bigint[];
    }
    expect(await roundTrip(Batch, { ids: [1n, 2n ** 64n] })).toEqual({ ids: [1n, 2n ** 64n] });
  });

  it('take decimal text and whole numbers for a bigint', async () => {
    class Paid {
      @Allow() amount: bigint | undefined = 3n;
    }
    Reflect.defineMetadata('design:type', BigInt, Paid.prototype, 'amount');
    expect(await roundTrip(Paid, { amount: '-12' })).toEqual({ amount: -12n });
    expect(await roundTrip(Paid, { amount: 12 })).toEqual({ amount: 12n });
    expect(await roundTrip(Paid, {})).toEqual({ amount: 3n });
    expect(await roundTrip(Paid, { amount: null })).toEqual({ amount: null });
    for (const amount of ['', '1.5', '0x10', ' 1', 1.5, 1e30, true, {}, ['1']]) {
      expect(await paths(codecOf(Paid).encode({ amount }))).toEqual(['amount']);
    }
  });

  it.each([['__proto__'], ['\\u005f_proto__'], ['constructor'], ['c\\u006fnstructor'], ['toString']])(
    'refuse the key %s at any depth, at enqueue and before the run',
    async (key) => {
      class Loose {
        @Allow() any: unknown;
      }
      for (const text of [`{"${key}":{"polluted":1}}`, `{"any":[{"${key}":{"prototype":{"polluted":1}}}]}`]) {
        expect(await paths(codecOf(Loose).encode(JSON.parse(text)))).toHaveLength(1);
        expect(await paths(codecOf(Loose).decode(text))).toHaveLength(1);
      }
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
      expect((Object as { polluted?: unknown }).polluted).toBeUndefined();
    },
  );

  it('may be nested 500 levels deep, and are refused beyond', async () => {
    class Loose {
      @Allow() any: unknown;
    }
    const text = (depth: number) => `{"any":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    expect(await roundTrip(Loose, JSON.parse(text(500)))).toEqual(JSON.parse(text(500)));
    expect((await refusal(codecOf(Loose).encode(JSON.parse(text(501))))).message).toContain(
      'deeper than 500',
    );
    expect((await refusal(codecOf(Loose).decode(text(200_000)))).message).toContain('deeper than 500');
  });

  it('leave the input as it was', async () => {
    const frozen = Object.freeze({
      ...order,
      address: Object.freeze({ ...order.address }),
      items: Object.freeze(order.items.map((item) => Object.freeze({ ...item }))),
    });
    expect(await roundTrip(Order, frozen)).toEqual(order);
    const instance = Object.freeze(Object.assign(new Welcome(), { to: 'ada@example.com' }));
    expect(await roundTrip(Welcome, instance)).toEqual(instance);
  });

  it('tell unreadable and too large texts', async () => {
    await expect(codecOf(Welcome).decode('{')).rejects.toBeInstanceOf(UnreadableParamsError);
    const tight = paramsCodec('Send', Welcome, 20);
    await expect(tight.encode({ to: 'ada@example.com' })).rejects.toBeInstanceOf(PayloadTooLargeError);
  });
});
