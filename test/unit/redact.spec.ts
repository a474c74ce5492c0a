import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { Type } from 'class-transformer';
import { Allow, IsArray, IsString, ValidateNested } from 'class-validator';
import fc from 'fast-check';
import { z } from 'zod';
import { InvalidOptionError } from '../../lib/task/errors.js';
import { checkRedactPaths } from '../../lib/task/redact-names.js';
import { parseRedactPath } from '../../lib/task/redact-path.js';
import { maskText, secretsOf } from '../../lib/task/redact-text.js';
import { Redaction, storedRedaction } from '../../lib/task/redact.js';
import { storedError } from '../../lib/task/stored-error.js';

const of = (...paths: string[]) => new Redaction(paths, 'Pay');
const masked = (params: unknown, ...paths: string[]) =>
  JSON.parse(of(...paths).maskParams(JSON.stringify(params))) as unknown;

describe('Redacted params', () => {
  it('are masked by name, by path, in every item of a list, and by keys of any text', () => {
    expect(masked({ user: 'ada', password: 'hunter2' }, 'password')).toEqual({
      user: 'ada',
      password: '[redacted]',
    });
    expect(masked({ card: { number: '4111', name: 'Ada' } }, 'card.number')).toEqual({
      card: { number: '[redacted]', name: 'Ada' },
    });
    const items = [{ secret: 1 }, { secret: { deep: true }, id: 2 }, { id: 3 }];
    const hidden = { items: [{ secret: '[redacted]' }, { secret: '[redacted]', id: 2 }, { id: 3 }] };
    for (const path of ['items.*.secret', 'items[*].secret', 'items.secret'])
      expect(masked({ items }, path)).toEqual(hidden);
    expect(masked({ items }, 'items.0.secret')).toEqual({
      items: [{ secret: '[redacted]' }, ...items.slice(1)],
    });
    expect(masked({ headers: { 'x.key': 'abc', other: 1 } }, 'headers["x.key"]')).toEqual({
      headers: { 'x.key': '[redacted]', other: 1 },
    });
    expect(masked({ a: { x: 1 }, b: { x: 2, y: 3 } }, '*.x')).toEqual({
      a: { x: '[redacted]' },
      b: { x: '[redacted]', y: 3 },
    });
  });

  it('stay as they are where nothing is found, and vanish where they cannot be read', () => {
    expect(masked({ user: 'ada' }, 'password', 'user.name')).toEqual({ user: 'ada' });
    expect(masked([1, null, 'text'], 'password')).toEqual([1, null, 'text']);
    expect(of('password').maskParams('')).toBe('');
    expect(of('password').maskParams('{"password":"hunt')).toBe('"[redacted]"');
  });

  it('never appear in their masked form, whatever they hold', () => {
    const path = fc.constantFrom('secret', 'nested.secret', 'list.*.secret');
    fc.assert(
      fc.property(path, fc.json(), fc.json(), (path, secret, other) => {
        const holder = { secret: { marker: 'MARKER', value: JSON.parse(secret) as unknown } };
        const params = {
          ...holder,
          nested: holder,
          list: [holder, holder],
          other: JSON.parse(other) as unknown,
        };
        const text = of('secret', 'nested.secret', 'list.*.secret').maskParams(JSON.stringify(params));
        expect(text).not.toContain('MARKER');
        const one = JSON.parse(of(path).maskParams(JSON.stringify(params))) as typeof params;
        expect(one.other).toEqual(params.other);
      }),
    );
  });
});

describe('Params of which nothing is to be seen', () => {
  it.each(['"hunter2"', '1234', 'true', '["hunter2"]', '{"password":"hunter2"}'])(
    'are masked as a whole: %s',
    (text) => {
      expect(of('*').maskParams(text)).toBe('"[redacted]"');
      expect(of('user', '*').maskParams(text)).toBe('"[redacted]"');
    },
  );

  it('are taken out of texts, also where they are a bare value', () => {
    expect(of('*').maskOf('"hunter2"')('got hunter2')).toBe('got [redacted]');
    expect(of('*').maskOf('', { deep: { password: 'hunter2' } })('got hunter2')).toBe('got [redacted]');
  });

  it('may have the names that every object has', () => {
    for (const name of ['constructor', 'toString', '__proto__']) {
      const text = `{"${name}":"hunter2","user":"ada"}`;
      expect(of(name).maskParams(text)).toBe(`{"${name}":"[redacted]","user":"ada"}`);
      expect(of(name).maskOf(text)('got hunter2')).toBe('got [redacted]');
      expect(of(name).maskParams('{"user":"ada"}')).toBe('{"user":"ada"}');
    }
  });
});

describe('What is stored with a task', () => {
  const shown = (extra: string | undefined, known?: Redaction) =>
    storedRedaction(extra, known)?.maskParams('{"user":"ada","card":"4111"}');

  it('hides what its paths name, beside what the job is known to hide', () => {
    expect(shown('{"redact":["card"]}')).toBe('{"user":"ada","card":"[redacted]"}');
    expect(shown('{"redact":["card"]}', of('user'))).toBe('{"user":"[redacted]","card":"[redacted]"}');
    expect(shown('{"timeoutMs":7}', of('user'))).toBe('{"user":"[redacted]","card":"4111"}');
    expect(shown('{"context":{"redact":7}}')).toBeUndefined();
  });

  it.each([
    '{"redact":["card"',
    '"redact":["card"]',
    '{"redact":["card["]}',
    '{"redact":7}',
    '{"redact":null}',
  ])('hides everything where it cannot tell what: %s', (extra) => expect(shown(extra)).toBe('"[redacted]"'));
});

describe('A path that is no path', () => {
  it.each(['', '.', 'a.', '.a', 'a..b', 'a[', 'a[b]', 'a["b]', '[]'])('is refused: %j', (path) => {
    expect(() => parseRedactPath(path, 'Pay')).toThrow(InvalidOptionError);
    expect(() => parseRedactPath(path, 'Pay')).toThrow(
      /^Pay: redact is .*, but must be paths of params, such as/,
    );
  });
});

describe('A text about a task', () => {
  const mask = (text: string, params: unknown, ...paths: string[]) =>
    of(...paths).maskOf(JSON.stringify(params))(text);

  it('loses the values of redacted params, in every form in which they may stand in it', () => {
    const params = {
      password: 'p"s s&w/rd',
      pin: 1234,
      card: { number: '4111 1111', tags: ['gold!'] },
      user: 'ada',
    };
    const paths = ['password', 'pin', 'card'];
    const text = `login ada p"s s&w/rd failed: {"password":${JSON.stringify(params.password)}} at https://x/?p=${encodeURIComponent(params.password)} pin=1234 4111 1111 gold!`;
    expect(mask(text, params, ...paths)).toBe(
      'login ada [redacted] failed: {"password":"[redacted]"} at https://x/?p=[redacted] pin=[redacted] [redacted] [redacted]',
    );
  });

  it('loses what is left of a value that was cut off', () => {
    expect(mask('got "hunter2-lo…', { password: 'hunter2-long' }, 'password')).toBe('got "[redacted]…');
    expect(mask('got hunter2-lo... sorry', { password: 'hunter2-long' }, 'password')).toBe(
      'got [redacted]... sorry',
    );
    expect(mask('got hunter2-lo', { password: 'hunter2-long' }, 'password')).toBe('got [redacted]');
  });

  it('keeps what only looks like one: very short values, and what stands for a masked one', () => {
    expect(mask('attempt 1 of 2: no', { a: 1, b: 'no', c: true, d: null }, 'a', 'b', 'c', 'd')).toBe(
      'attempt 1 of 2: no',
    );
    expect(mask('hunter2 act', { a: 'hunter2', b: 'act' }, 'a', 'b')).toBe('[redacted] [redacted]');
  });

  it('is masked as a whole where there are too many values to look for', () => {
    const many = Array.from({ length: 2_000 }, (_, number) => `value-${number}`);
    expect(maskText('nothing of it', secretsOf(many))).toBe('[redacted]');
    expect(maskText('nothing of it', secretsOf(many.slice(0, 500)))).toBe('nothing of it');
  });

  it('loses values that are nested deeper than the stack is, or is masked as a whole', () => {
    const depth = 100_000;
    const nested = `${'['.repeat(depth)}"hunter2"${']'.repeat(depth)}`;
    const text = `{"card":${nested}}`;
    expect(of('card').maskOf(text)('got hunter2')).toBe('got [redacted]');
    // A name behind a list is looked for in all that is in it.
    expect(of('card.number').maskOf(text)('got hunter2')).toBe('[redacted]');
    for (const path of ['card', 'card.number']) expect(of(path).maskParams(text)).not.toContain('hunter2');
  });

  it('is masked before it is cut: no half of a value is left at the end', () => {
    const secret = 'x'.repeat(50);
    const error = new Error(`${'-'.repeat(3_980)}${secret}`);
    const { message, stack } = storedError(error, of('secret').maskOf(JSON.stringify({ secret })));
    expect(`${message}${stack}`).not.toContain('xxx');
  });

  it('is not touched by params with circles, getters that throw, or no object at all', () => {
    const circle: Record<string, unknown> = { name: 'hunter2' };
    circle.self = circle;
    expect(of('a').maskOf('', { a: circle })('hunter2')).toBe('[redacted]');
    const thrower = {
      get password(): string {
        throw new Error('no');
      },
    };
    expect(of('password').maskOf('', thrower)('fine')).toBe('fine');
    expect(of('password').maskOf('no json', undefined)('fine')).toBe('fine');
    expect(of('password').maskOf('', 'text')('fine')).toBe('fine');
  });
});

describe('The paths of a job', () => {
  class Card {
    @IsString() number!: string;
  }
  class Item {
    @IsString() secret!: string;
  }
  class Pay {
    @IsString() password!: string;
    @ValidateNested() @Type(() => Card) card!: Card;
    @ValidateNested({ each: true }) @Type(() => Item) @IsArray() items!: Item[];
    @Allow() anything!: Record<string, unknown>;
  }
  const check = (params: never, ...paths: string[]) => checkRedactPaths(of(...paths).paths, params, 'Pay');

  it.each([
    'password',
    'card',
    'card.number',
    'items.*.secret',
    'items.0.secret',
    'items.secret',
    'anything.at.all',
    '*',
  ])('may be %s of a class that has it', (path) => {
    expect(() => check(Pay as never, path)).not.toThrow();
  });

  it.each([
    ['passwrod', "Pay has no 'passwrod', only password"],
    ['card.nubmer', "Card has no 'nubmer', only number"],
    ['items.*.secert', "Item has no 'secert'"],
    ['items.secert', "Item has no 'secert'"],
    ['password.deep', "'password' of Pay holds nothing by a name"],
  ])('stop the start where the class cannot have them: %s', (path, why) => {
    expect(() => check(Pay as never, path)).toThrow(InvalidOptionError);
    expect(() => check(Pay as never, path)).toThrow(why);
  });

  it('are checked against a schema, what goes in and what comes out', () => {
    const schema = z.object({
      card: z.object({ number: z.string() }),
      items: z.array(z.object({ secret: z.string() })),
    });
    for (const path of ['card.number', 'items.*.secret', 'items.secret', 'card', '*.number'])
      expect(() => check(schema as never, path)).not.toThrow();
    expect(() => check(schema as never, 'card.nubmer')).toThrow("the schema has no 'nubmer', only number");
    expect(() => check(schema as never, 'items.*.secert')).toThrow("no 'secert'");
    const renaming = z.object({ pw: z.string() }).transform(({ pw }) => ({ password: pw }));
    for (const path of ['pw', 'password']) expect(() => check(renaming as never, path)).not.toThrow();
  });

  it('are taken as they are where nothing is known', () => {
    expect(() => check(undefined as never, 'whatever')).not.toThrow();
    expect(() => check(class {} as never, 'whatever')).not.toThrow();
    expect(() => check(z.record(z.string(), z.string()) as never, 'whatever')).not.toThrow();
  });
});
