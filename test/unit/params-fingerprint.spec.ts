import { describe, expect, it } from '@jest/globals';
import { Exclude, Expose, Transform, Type } from 'class-transformer';
import {
  IsArray,
  IsEmail,
  IsInt,
  IsOptional,
  IsString,
  Matches,
  Max,
  Min,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import * as v from 'valibot';
import { z } from 'zod';
import type { ParamsType } from '../../lib/task/params.js';
import { paramsFingerprint } from '../../lib/task/params-fingerprint.js';

/** Declares the same twice, and then others, of which each must differ from all else. */
function expectApart(make: () => ParamsType, others: Record<string, ParamsType>): void {
  expect(paramsFingerprint(make())).toBe(paramsFingerprint(make()));
  const all = Object.entries({ first: make(), ...others });
  const byFingerprint = new Map(all.map(([name, params]) => [paramsFingerprint(params), name]));
  expect([...byFingerprint.values()]).toEqual(all.map(([name]) => name));
}

type Decorator = (target: object, property: string) => void;

/** A class with one property, decorated as a test says; its source is the same each time. */
function classWith(...decorators: Decorator[]): new () => object {
  class Params {
    n!: number;
  }
  for (const decorate of decorators) decorate(Params.prototype, 'n');
  return Params;
}

describe('the fingerprint of params', () => {
  it('is short text without anything that a store could stumble over', () => {
    for (const params of [undefined, classWith(IsInt()), z.string()])
      expect(paramsFingerprint(params)).toMatch(/^[0-9a-f]{16}$/);
  });

  it('tells undeclared params from declared ones', () => {
    expectApart(() => classWith(IsInt()), { none: undefined as never, schema: z.int() });
  });
});

describe('the fingerprint of a class', () => {
  it('changes with its validators, their constraints and their options', () => {
    expectApart(() => classWith(IsInt(), Min(1)), {
      'without one': classWith(IsInt()),
      'with one more': classWith(IsInt(), Min(1), Max(9)),
      'another constraint': classWith(IsInt(), Min(2)),
      'for each': classWith(IsInt(), Min(1, { each: true })),
      'in a group': classWith(IsInt(), Min(1, { groups: ['a'] })),
      optional: classWith(IsInt(), Min(1), IsOptional()),
      'under a condition': classWith(IsInt(), Min(1), ValidateIf(() => true) as Decorator),
      'under another condition': classWith(IsInt(), Min(1), ValidateIf(() => false) as Decorator),
      'a pattern': classWith(Matches(/a/)),
      'another pattern': classWith(Matches(/b/)),
      'a pattern with a flag': classWith(Matches(/a/i)),
      'with an option': classWith(IsEmail({ allow_display_name: true })),
      'with another option': classWith(IsEmail({ allow_display_name: false })),
    });
  });

  it('does not change with what a violation is called', () => {
    expect(paramsFingerprint(classWith(IsInt({ message: 'whole, please' })))).toBe(
      paramsFingerprint(classWith(IsInt())),
    );
  });

  it('changes with its transformations', () => {
    expectApart(() => classWith(IsInt(), Transform(({ value }) => Number(value)) as Decorator), {
      without: classWith(IsInt()),
      another: classWith(IsInt(), Transform(({ value }) => Number(value) + 1) as Decorator),
      typed: classWith(IsInt(), Type(() => Number) as Decorator),
      exposed: classWith(IsInt(), Expose({ name: 'number' }) as Decorator),
      'exposed otherwise': classWith(IsInt(), Expose({ name: 'count' }) as Decorator),
      excluded: classWith(IsInt(), Exclude() as Decorator),
    });
  });

  it('changes with its properties and their defaults', () => {
    const make = () => {
      class Params {
        @IsInt() n = 1;
      }
      return Params;
    };
    const more = () => {
      class Params {
        @IsInt() n = 1;
        @IsString() name!: string;
      }
      return Params;
    };
    const other = () => {
      class Params {
        @IsInt() n = 2;
      }
      return Params;
    };
    expectApart(make, { more: more(), other: other() });
  });

  it('changes with the classes that it nests, and those that they nest', () => {
    const nesting = (least: number, how: (inner: new () => object) => Decorator) => {
      class Innermost {
        n!: number;
      }
      Min(least)(Innermost.prototype, 'n');
      class Inner {
        @ValidateNested() @Type(() => Innermost) innermost!: object;
      }
      class Outer {
        @ValidateNested({ each: true }) @IsArray() inner!: object[];
      }
      how(Inner)(Outer.prototype, 'inner');
      return Outer;
    };
    const byType = (inner: new () => object) => Type(() => inner) as Decorator;
    const bySubtype = (inner: new () => object) =>
      Type(() => Object, {
        discriminator: { property: 'kind', subTypes: [{ value: inner, name: 'a' }] },
      }) as Decorator;
    expectApart(() => nesting(1, byType), { 'another constraint': nesting(2, byType) });
    expectApart(() => nesting(1, bySubtype), { 'another constraint': nesting(2, bySubtype) });
  });

  it('changes with the class that it extends', () => {
    const extending = (least: number) => {
      class Above {
        n!: number;
      }
      Min(least)(Above.prototype, 'n');
      return class Params extends Above {};
    };
    expectApart(() => extending(1), { 'another constraint': extending(2) });
  });

  it('is found for classes that hold each other', () => {
    class Child {
      @ValidateNested() @Type(() => Parent) parent!: unknown;
    }
    class Parent {
      @ValidateNested() @Type(() => Child) child!: Child;
    }
    expect(paramsFingerprint(Parent)).not.toBe(paramsFingerprint(Child));
  });

  it('is found though a function that names a nested class throws', () => {
    const throwing = Type(() => {
      throw new Error('not yet');
    }) as Decorator;
    expect(paramsFingerprint(classWith(IsInt(), throwing))).not.toBe(paramsFingerprint(classWith(IsInt())));
  });
});

describe('the fingerprint of a schema', () => {
  it('changes with a zod schema, also deep inside', () => {
    const make = (inner: z.ZodType) => z.object({ list: z.array(z.object({ inner })) });
    expectApart(() => make(z.string().min(1)), {
      'another constraint': make(z.string().min(2)),
      'another type': make(z.number()),
      optional: make(z.string().min(1).optional()),
      pattern: make(z.string().regex(/a/)),
      'another pattern': make(z.string().regex(/b/)),
      refined: make(z.string().refine((text) => text !== 'a')),
      'refined otherwise': make(z.string().refine((text) => text !== 'b')),
      coerced: make(z.coerce.string()),
      choice: make(z.enum(['a', 'b'])),
      'another choice': make(z.enum(['a', 'c'])),
      union: make(z.union([z.string(), z.number()])),
      'another union': make(z.union([z.string(), z.boolean()])),
      lazy: make(z.lazy(() => z.string().max(1))),
      'another lazy': make(z.lazy(() => z.string().max(2))),
      strict: z.strictObject({ list: z.array(z.object({ inner: z.string() })) }),
    });
  });

  it('changes with a valibot schema, also deep inside', () => {
    const make = (inner: v.GenericSchema) => v.object({ list: v.array(v.object({ inner })) });
    expectApart(() => make(v.pipe(v.string(), v.minLength(1))), {
      'another constraint': make(v.pipe(v.string(), v.minLength(2))),
      'another type': make(v.number()),
      optional: make(v.optional(v.string())),
      pattern: make(v.pipe(v.string(), v.regex(/a/))),
      'another pattern': make(v.pipe(v.string(), v.regex(/b/))),
      checked: make(
        v.pipe(
          v.string(),
          v.check((text) => text !== 'a'),
        ),
      ),
      'checked otherwise': make(
        v.pipe(
          v.string(),
          v.check((text) => text !== 'b'),
        ),
      ),
      'of a class': make(v.instance(Map)),
      choice: make(v.picklist(['a', 'b'])),
      'another choice': make(v.picklist(['a', 'c'])),
      lazy: make(v.lazy(() => v.pipe(v.string(), v.maxLength(1)))),
      'another lazy': make(v.lazy(() => v.pipe(v.string(), v.maxLength(2)))),
    });
  });

  it('changes with the source of one that is written by hand', () => {
    const make = () => ({
      '~standard': { version: 1 as const, vendor: 'hand', validate: (value: unknown) => ({ value }) },
    });
    const other = { '~standard': { ...make()['~standard'], validate: () => ({ issues: [] }) } };
    expectApart(make, { other });
  });

  it.each<[string, () => ParamsType, unknown]>([
    ['zod', () => z.object({ a: z.lazy(() => z.string()), b: z.union([z.string(), z.int()]) }), {}],
    ['valibot', () => v.object({ a: v.lazy(() => v.string()), b: v.picklist(['a']) }), {}],
  ])('is not another after a %s schema has been used', async (_, make, value) => {
    const schema = make();
    const fresh = paramsFingerprint(schema);
    if ('~standard' in schema) await schema['~standard'].validate(value);
    expect(paramsFingerprint(schema)).toBe(fresh);
  });

  it('is not another for a default that is made anew each time, nor for another order of properties', () => {
    let made = 0;
    const withDefault = z.string().default(() => `number ${made++}`);
    expect(paramsFingerprint(z.object({ a: withDefault, b: z.int() }))).toBe(
      paramsFingerprint(z.object({ b: z.int(), a: withDefault })),
    );
    expect(made).toBe(0);
  });

  it('is found for schemas that refer to themselves, or to new ones without end', () => {
    const tree = z.object({
      name: z.string(),
      get branches() {
        return z.array(tree);
      },
    });
    const other = z.object({
      name: z.int(),
      get branches() {
        return z.array(other);
      },
    });
    expectApart(() => tree, { other });
    const endless = (): z.ZodType => z.object({ a: z.lazy(endless), b: z.lazy(endless) });
    expect(paramsFingerprint(endless())).toBe(paramsFingerprint(endless()));
  });

  it('is found though what the schema holds cannot be looked at', () => {
    const closed = new Proxy(
      {},
      {
        ownKeys() {
          throw new Error('closed');
        },
      },
    );
    const schema = { ...z.string(), closed, '~standard': z.string()['~standard'] };
    expect(paramsFingerprint(schema as never)).toBe(paramsFingerprint(schema as never));
  });
});
