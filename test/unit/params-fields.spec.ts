import { describe, expect, it } from '@jest/globals';
import { Type } from 'class-transformer';
import {
  Allow,
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsDate,
  IsEmail,
  IsEnum,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Length,
  Matches,
  Max,
  Min,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import * as v from 'valibot';
import { z } from 'zod';
import { classFields } from '../../lib/catalog/class-fields.js';
import type { ParamsField } from '../../lib/catalog/params-fields.js';
import { schemaFields } from '../../lib/catalog/schema-fields.js';

const byName = (fields: readonly ParamsField[] | undefined) =>
  Object.fromEntries(fields!.map(({ name, ...rest }) => [name, rest]));

enum Size {
  Small = 'S',
  Large = 'L',
}

class Address {
  @IsString() city!: string;
  @IsOptional() @Matches(/^\d{5}$/) zip?: string;
}

class Base {
  @IsInt() @Min(1) @Max(10) count!: number;
}

class Order extends Base {
  @IsEmail() to!: string;
  @IsOptional() @IsString() from?: string = 'no-reply@example.com';
  @IsEnum(Size) size!: Size;
  @IsIn([1, 2, 3]) level = 2;
  @IsBoolean() isUrgent = false;
  @IsDate() @Type(() => Date) on!: Date;
  @Length(2, 5, { each: true }) @ArrayMaxSize(3) codes!: string[];
  @ValidateNested() @Type(() => Address) home!: Address;
  @IsArray() @ValidateNested({ each: true }) @Type(() => Address) others!: Address[];
  @Allow() note?: string;
  @ValidateIf(() => false) @IsString() maybe?: string;
}

describe('The fields of a params class', () => {
  const fields = byName(classFields(Order));

  it('are those of the classes above, too', () => {
    expect(fields.count).toEqual({
      type: 'integer',
      required: true,
      constraints: { minimum: 1, maximum: 10 },
    });
  });

  it('have a type, what is asked of it, and a default', () => {
    expect(fields).toMatchObject({
      to: { type: 'string', required: true, constraints: { format: 'email' } },
      from: { type: 'string', required: false, default: 'no-reply@example.com' },
      size: { type: 'string', required: true, values: ['S', 'L'] },
      level: { type: 'number', required: false, values: [1, 2, 3], default: 2 },
      isUrgent: { type: 'boolean', required: false, default: false },
      on: { type: 'date', required: true },
    });
  });

  it('tell of the items of an array, and of the fields of a class within', () => {
    const address = [
      { name: 'city', type: 'string', required: true },
      { name: 'zip', type: 'string', required: false, constraints: { pattern: '^\\d{5}$' } },
    ];
    expect(fields.codes).toEqual({
      type: 'array',
      required: true,
      constraints: { maxItems: 3 },
      items: { type: 'string', constraints: { minLength: 2, maxLength: 5 } },
    });
    expect(fields.home).toEqual({ type: 'object', required: false, fields: address });
    expect(fields.others).toEqual({
      type: 'array',
      required: true,
      items: { type: 'object', fields: address },
    });
  });

  it('are required only where params without them are refused', () => {
    expect([fields.note!.required, fields.maybe!.required]).toEqual([false, false]);
  });

  it('end where a class holds itself', () => {
    class Node {
      @IsString() name!: string;
      @IsOptional() @ValidateNested() @Type(() => Node) next?: unknown;
    }
    const text = JSON.stringify(classFields(Node));
    expect(text.match(/"next"/g)).toHaveLength(6);
  });

  it('are not known of a class without decorators, or whose constructor throws', () => {
    expect(classFields(class Plain {})).toBeUndefined();
    class Throwing {
      @IsString() name!: string;
      constructor() {
        throw new Error('not so');
      }
    }
    expect(classFields(Throwing)).toEqual([{ name: 'name', type: 'string', required: true }]);
  });
});

describe('The fields of a schema', () => {
  it('are what goes into it, by JSON Schema', () => {
    const schema = z.object({
      to: z.email(),
      from: z.string().default('me'),
      n: z.number().int().min(1).optional(),
      size: z.enum(['S', 'L']).describe('how large'),
      tags: z.array(z.string().max(5)).max(3),
      home: z.object({ city: z.string() }),
      maybe: z.string().nullable(),
      or: z.union([z.string(), z.object({ a: z.string() })]),
      on: z.coerce.date(),
      at: z.iso.datetime(),
      only: z.literal('x'),
    });
    const fields = byName(schemaFields(schema));
    expect(fields.to).toMatchObject({ type: 'string', required: true, constraints: { format: 'email' } });
    expect(fields).toMatchObject({
      from: { type: 'string', required: false, default: 'me' },
      n: { type: 'integer', required: false, constraints: { minimum: 1 } },
      size: { type: 'string', required: true, values: ['S', 'L'], description: 'how large' },
      tags: {
        type: 'array',
        constraints: { maxItems: 3 },
        items: { type: 'string', constraints: { maxLength: 5 } },
      },
      home: { type: 'object', fields: [{ name: 'city', type: 'string', required: true }] },
      maybe: { type: 'string', nullable: true, required: true },
      or: { type: 'unknown' },
      on: { type: 'unknown', required: true },
      at: { type: 'date' },
      only: { type: 'string', values: ['x'] },
    });
    expect(fields.n!.constraints).not.toHaveProperty('maximum');
  });

  it('end where a schema holds itself', () => {
    const node = z.object({
      name: z.string(),
      get next() {
        return node.optional();
      },
    });
    expect(JSON.stringify(schemaFields(node)).length).toBeLessThan(2_000);
  });

  it('are not known of a schema that is no object, or that cannot tell', () => {
    expect(schemaFields(z.string())).toBeUndefined();
    expect(schemaFields(v.object({ a: v.string() }))).toBeUndefined();
  });
});
