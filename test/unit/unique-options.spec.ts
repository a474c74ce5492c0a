import { describe, expect, it } from '@jest/globals';
import { resolveOptions } from '../../lib/resolve-options.js';
import { checkEnqueueOptions } from '../../lib/task/enqueue-options.js';
import { planEnqueue } from '../../lib/task/enqueue-plan.js';
import { InvalidOptionError } from '../../lib/task/errors.js';
import type { LockConflict, LockPhase } from '../../lib/task/task-record.js';
import { checkUniqueOptions, planUnique, type UniqueOptions } from '../../lib/task/unique-options.js';

const locks = ['until_executing', 'while_executing', 'until_executed', 'until_completed'] as const;
const conflicts = ['reject', 'raise', 'reschedule', 'replace'] as const;
const ofRuns = ['reject', 'raise', 'reschedule'];
const fromEnqueue = ['reject', 'raise', 'replace'];

/** Every lock with every conflict, and whether the tables have it. */
const combinations = locks.flatMap((lock) =>
  conflicts.map((onConflict) => {
    const allowed = lock === 'while_executing' ? ofRuns : fromEnqueue;
    return [lock, onConflict, allowed.includes(onConflict)] as const;
  }),
);

const plan = (
  job: UniqueOptions | false | undefined,
  call?: Partial<UniqueOptions> | false,
  lockTtl?: number | string,
) => planUnique(job, call, lockTtl, 'Charge');

describe('A lock and a conflict', () => {
  it.each(combinations.filter(([, , isAllowed]) => isAllowed))(
    '%s with %s is a plan, said by the job or by the call',
    (lock, onConflict) => {
      const planned = { phase: lock, onConflict };
      expect(plan({ lock, onConflict })).toMatchObject(planned);
      expect(plan(undefined, { lock, onConflict })).toMatchObject(planned);
      expect(plan({ lock }, { onConflict })).toMatchObject(planned);
    },
  );

  const refused = combinations.filter(([, , isAllowed]) => !isAllowed);
  it.each(refused)('%s with %s is refused, wherever it is said', (lock, onConflict) => {
    const message = `Charge: unique.onConflict is "${onConflict}", but must be `;
    for (const wrong of [
      () => plan({ lock, onConflict }),
      () => plan(undefined, { lock, onConflict }),
      () => plan({ lock }, { onConflict }),
    ]) {
      expect(wrong).toThrow(InvalidOptionError);
      expect(wrong).toThrow(message);
      expect(wrong).toThrow(`with ${lock}`);
    }
  });

  it('are twelve of sixteen', () => {
    expect(refused).toEqual([
      ['until_executing', 'reschedule', false],
      ['while_executing', 'replace', false],
      ['until_executed', 'reschedule', false],
      ['until_completed', 'reschedule', false],
    ]);
  });

  it.each(locks)('%s alone rejects', (lock) => {
    expect(plan({ lock })?.onConflict).toBe('reject');
  });

  it.each([
    ['lock', 'until_excuted'],
    ['lock', 'while-executing'],
    ['lock', 'Until_Completed'],
    ['lock', ''],
    ['lock', true],
    ['lock', null],
    ['onConflict', 'ignore'],
    ['onConflict', 'Reject'],
    ['onConflict', false],
    ['onConflict', null],
  ])('whose %s is %j are refused with the class, the value and what there is', (option, value) => {
    const wrong = () => checkUniqueOptions({ lock: 'until_executed', [option]: value }, 'Charge');
    expect(wrong).toThrow(InvalidOptionError);
    const known = option === 'lock' ? locks : conflicts;
    expect(wrong).toThrow(
      `Charge: unique.${option} is ${JSON.stringify(value)}, but must be one of ${known.join(', ')}`,
    );
  });
});

describe('The options of a unique job', () => {
  it.each([true, 'until_executed', 7, null, ['until_executed']])('are not %j', (unique) => {
    expect(() => checkUniqueOptions(unique, 'Charge')).toThrow(
      /^Charge: unique is .*, but must be an object/,
    );
  });

  it('are none where nothing is said, or false', () => {
    for (const unique of [undefined, false]) {
      expect(() => checkUniqueOptions(unique, 'Charge')).not.toThrow();
      expect(plan(unique as false | undefined)).toBeUndefined();
    }
  });

  it('are refused by name where they are not known', () => {
    const wrong = () => checkUniqueOptions({ lock: 'until_executed', onConflct: 'raise' }, 'Charge');
    expect(wrong).toThrow(
      'Charge: unique.onConflct is "raise", but must be left out: known options are lock, onConflict',
    );
  });

  it.each<[string, unknown]>([
    ['by', []],
    ['by', ['a', 1]],
    ['by', ['']],
    ['by', 'userId'],
    ['by', { userId: true }],
    ['by', null],
    ['group', ''],
    ['group', 'x'.repeat(256)],
    ['group', 7],
    ['group', null],
    ['ttl', 0],
    ['ttl', '0s'],
    ['ttl', -1],
    ['ttl', 'long'],
    ['ttl', '1mo'],
    ['ttl', null],
    ['retryAfter', 0],
    ['retryAfter', '-5s'],
    ['retryAfter', 'soon'],
    ['retryAfter', null],
  ])('are refused where %s is %j', (option, value) => {
    const wrong = () => checkUniqueOptions({ lock: 'while_executing', [option]: value }, 'Charge');
    expect(wrong).toThrow(InvalidOptionError);
    expect(wrong).toThrow(`Charge: unique.${option} is `);
  });

  it.each<UniqueOptions>([
    { lock: 'until_executed', by: ['userId', 'shop'] },
    { lock: 'until_executed', by: () => 1 },
    { lock: 'until_executed', group: 'x'.repeat(255) },
    { lock: 'until_executed', ttl: '10m' },
    { lock: 'while_executing', onConflict: 'reschedule', retryAfter: 250 },
    { lock: 'until_executed', onConflict: undefined, by: undefined, ttl: undefined, group: undefined },
  ])('may be %j', (unique) => {
    expect(() => checkUniqueOptions(unique, 'Charge')).not.toThrow();
    expect(plan(unique)).toMatchObject({ phase: unique.lock });
  });

  it('are checked with those of the job and of the call', () => {
    const unique = { lock: 'until_ever' as LockPhase };
    expect(() => checkEnqueueOptions({ unique }, 'Charge')).toThrow('Charge: unique.lock is "until_ever"');
  });
});

describe('retryAfter', () => {
  it('is five seconds where nothing is said, and only for reschedule', () => {
    expect(plan({ lock: 'while_executing', onConflict: 'reschedule' })?.retryAfterMs).toBe(5_000);
    expect(plan({ lock: 'while_executing' })?.retryAfterMs).toBeUndefined();
    const said = plan({ lock: 'while_executing', onConflict: 'reschedule', retryAfter: '1m' });
    expect(said?.retryAfterMs).toBe(60_000);
  });

  it.each<[LockPhase, LockConflict]>([
    ['while_executing', 'reject'],
    ['while_executing', 'raise'],
    ['until_executed', 'reject'],
  ])('is refused with %s and %s', (lock, onConflict) => {
    const message = 'Charge: unique.retryAfter is "1m", but must be left out, or given with onConflict';
    expect(() => plan({ lock, onConflict, retryAfter: '1m' })).toThrow(message);
    expect(() => plan({ lock, onConflict }, { retryAfter: '1m' })).toThrow(message);
  });

  it('of a job is let go by a call that does not reschedule', () => {
    const job = { lock: 'while_executing', onConflict: 'reschedule', retryAfter: '1m' } as const;
    expect(plan(job, { onConflict: 'raise' })).toMatchObject({
      onConflict: 'raise',
      retryAfterMs: undefined,
    });
    expect(plan(job, { lock: 'until_executed', onConflict: 'raise' })?.retryAfterMs).toBeUndefined();
  });
});

describe('The time to live of a lock', () => {
  it('is none, the module’s, the job’s or the call’s, the nearest first', () => {
    expect(plan({ lock: 'until_executed' })?.ttlMs).toBeUndefined();
    expect(plan({ lock: 'until_executed' }, undefined, '10m')?.ttlMs).toBe(600_000);
    expect(plan({ lock: 'until_executed', ttl: '5m' }, undefined, '10m')?.ttlMs).toBe(300_000);
    expect(plan({ lock: 'until_executed', ttl: '5m' }, { ttl: '1m' }, '10m')?.ttlMs).toBe(60_000);
    expect(plan({ lock: 'until_executed', ttl: '5m' }, { ttl: undefined })?.ttlMs).toBe(300_000);
  });

  it('is refused with while_executing, whose lock nobody holds before the run', () => {
    const message = 'Charge: unique.ttl is "1m", but must be left out with while_executing';
    expect(() => plan({ lock: 'while_executing', ttl: '1m' })).toThrow(message);
    expect(() => plan({ lock: 'while_executing' }, { ttl: '1m' })).toThrow(message);
  });

  it('of the module is nothing to while_executing, and that of a job nothing to a call with this lock', () => {
    expect(plan({ lock: 'while_executing' }, undefined, '10m')?.ttlMs).toBeUndefined();
    const called = plan({ lock: 'until_executed', ttl: '5m' }, { lock: 'while_executing' });
    expect(called).toMatchObject({ phase: 'while_executing', ttlMs: undefined });
  });

  it('is read from the module, where it must be more than nothing', () => {
    const { defaults } = resolveOptions({ lockTtl: '10m' });
    const job = { ...defaults, unique: { lock: 'until_executed' } as const };
    expect(planEnqueue(job, undefined, 'Charge').unique?.ttlMs).toBe(600_000);
    expect(planEnqueue(job, { unique: { ttl: '1m' } }, 'Charge').unique?.ttlMs).toBe(60_000);
    for (const lockTtl of [0, '0s', 'long', '1mo', -5])
      expect(() => resolveOptions({ lockTtl })).toThrow(/^JobsModule\.forRoot: lockTtl is /);
  });
});

describe('What a call says of uniqueness', () => {
  const by = () => 1;
  const job: UniqueOptions = { lock: 'until_executed', onConflict: 'raise', by, group: 'money', ttl: '1m' };

  it('is laid over what the job says, option by option, and undefined says nothing', () => {
    const whole = { phase: 'until_executed', onConflict: 'raise', by, group: 'money', ttlMs: 60_000 };
    expect(plan(job)).toMatchObject(whole);
    expect(plan(job, {})).toEqual(plan(job));
    expect(plan(job, { lock: undefined, onConflict: undefined, by: undefined })).toEqual(plan(job));
    expect(plan(job, { lock: 'until_completed' })).toMatchObject({ ...whole, phase: 'until_completed' });
    expect(plan(job, { onConflict: 'replace' })).toMatchObject({ ...whole, onConflict: 'replace' });
    expect(plan(job, { by: ['a'] })).toMatchObject({ ...whole, by: ['a'] });
    expect(plan(job, { group: 'other' })).toMatchObject({ ...whole, group: 'other' });
    expect(plan(job, { ttl: '2m' })).toMatchObject({ ...whole, ttlMs: 120_000 });
  });

  it('takes it away by false, and brings it where the job says false or nothing', () => {
    expect(plan(job, false)).toBeUndefined();
    for (const none of [false, undefined] as const) {
      expect(plan(none)).toBeUndefined();
      expect(plan(none, { lock: 'while_executing' })).toMatchObject({ phase: 'while_executing' });
    }
  });

  it('needs a lock where the job has none', () => {
    for (const call of [{}, { by: ['a'] }, { onConflict: 'raise' }] as const)
      expect(() => plan(undefined, call)).toThrow('Charge: unique.lock is undefined, but must be one');
  });

  it('may not leave the job’s conflict with a lock that it does not go with', () => {
    const rescheduling = { lock: 'while_executing', onConflict: 'reschedule' } as const;
    expect(() => plan(rescheduling, { lock: 'until_executed' })).toThrow(
      'Charge: unique.onConflict is "reschedule", but must be',
    );
  });
});
