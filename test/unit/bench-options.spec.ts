import { describe, expect, it, test } from '@jest/globals';
import { readOptions } from '../bench/options.js';
import { stores } from '../bench/run-stores.js';
import { paceOf } from '../bench/side-by-side/measures/pair.js';

describe('The options of npm run bench', () => {
  it('ask for everything by default', () => {
    const { stores: names, only, systems, rounds, form } = readOptions([], stores);
    expect(names).toEqual(['memory', 'redis', 'postgres']);
    expect({ rounds, form }).toEqual({ rounds: 5, form: 'full' });
    for (const store of stores) {
      expect(only).toEqual(expect.arrayContaining([...store.measures]));
      expect(systems).toEqual(expect.arrayContaining([...store.systems]));
    }
  });

  it('choose stores, measures, libraries and rounds', () => {
    const args = [
      '--store=redis',
      '--only=process,boot',
      '--systems=nestjs-jobs,raw limit',
      '--rounds=9',
      '--json',
    ];
    expect(readOptions(args, stores)).toMatchObject({
      stores: ['redis'],
      only: ['process', 'boot'],
      systems: ['nestjs-jobs', 'raw limit'],
      rounds: 9,
      isJson: true,
    });
  });

  it('make one round of a short form, unless more are asked for', () => {
    expect(readOptions(['--quick'], stores)).toMatchObject({ form: 'quick', rounds: 1 });
    expect(readOptions(['--tiny', '--rounds=2'], stores)).toMatchObject({ form: 'tiny', rounds: 2 });
  });

  test.each(['--only=proces', '--store=mysql', '--systems=sidekiq', '--rounds=0', '--rounds=x', '--fast'])(
    'are refused where they mean nothing: %s',
    (arg) => expect(() => readOptions([arg], stores)).toThrow(`${arg} is no option`),
  );

  test.each(['--quick', '--tiny'])('keep no figures of a form that is not to be quoted: %s', (form) => {
    expect(() => readOptions(['--write', form], stores)).toThrow(`those of ${form} are not`);
  });
});

describe('The pace of two processes', () => {
  const first = [100, 200, 300, 400].map((handled, step) => [step * 1_000, handled] as const);
  const second = [100, 200, 300].map((handled, step) => [1_500 + step * 1_000, handled] as const);

  it('counts what both handle from when both are at work', () => {
    // After 1.5 s 200 and 100 were handled, after 3 s 400 and 200.
    const { pace, seconds } = paceOf([first, second], { from: 300, to: 600, isTogether: true });
    expect({ pace, seconds }).toEqual({ pace: 200, seconds: 1.5 });
  });

  it('begins later where one came late', () => {
    const late = second.map(([at, handled]) => [at + 1_000, handled] as const);
    const { seconds } = paceOf([first, late], { from: 100, to: 700, isTogether: true });
    expect(seconds).toBe(2);
  });

  it('is none where one had nothing left to handle', () => {
    expect(paceOf([first, []], { from: 100, to: 400, isTogether: true })).toEqual({ pace: 0, seconds: 0 });
    expect(paceOf([first, []], { from: 100, to: 400, isTogether: false })).toEqual({ pace: 100, seconds: 3 });
  });
});
