import type { CasesOf } from './cases.js';
import {
  claimed,
  died,
  failed,
  leaseEnded,
  moved,
  run,
  stored,
  succeeded,
  t,
  u,
  up,
  type Told,
} from './told.js';

export const runCases: CasesOf<
  | 'every extra run has a death or a lost lease behind it'
  | 'attempts stay within retries + 1'
  | 'a slot has one task'
> = {
  'every extra run has a death or a lost lease behind it': {
    kept: {
      'a run whose process died': [
        up,
        stored,
        claimed(1, 1),
        run('started', 1, 1),
        died,
        leaseEnded(1),
        moved('waiting'),
      ],
      'a run whose lease ended': [
        up,
        stored,
        claimed(1, 1),
        run('started', 1, 1),
        run('ended', 1, 1),
        leaseEnded(1),
        moved('waiting'),
      ],
      'a run that a late claim took back': [
        stored,
        claimed(1, 1),
        { type: 'taken-back', ...t, process: 'p', epoch: 1, state: 'waiting', isLate: true },
        run('started', 1, 1),
        run('ended', 1, 1),
        { type: 'rest' },
      ],
    },
    broken: {
      'a run that nothing became of': [
        up,
        stored,
        claimed(1, 1),
        run('started', 1, 1),
        run('ended', 1, 1),
        { type: 'rest' },
      ],
      'a run that its own process gave back without knowing': [
        up,
        stored,
        claimed(1, 1),
        run('started', 1, 1),
        { type: 'taken-back', ...t, process: 'p', epoch: 1, state: 'waiting' },
      ],
      'an epoch that is begun twice': [stored, claimed(1, 1), run('started', 1, 1), run('started', 1, 1)],
      'a run after its lease': [stored, claimed(1, 1), leaseEnded(1), moved('waiting'), run('started', 1, 1)],
      'a run after the success': [stored, claimed(1, 1), succeeded(1), run('started', 1, 1)],
      'more runs in vain than the dead had slots': [
        { type: 'up', process: 'p', concurrency: 1 },
        ...[t, u].map((of): Told => ({ ...stored, ...of })),
        claimed(1, 1, t),
        claimed(2, 1, u),
        run('started', 1, 1, t),
        run('ended', 1, 1, t),
        run('started', 2, 1, u),
        died,
      ],
    },
  },
  'attempts stay within retries + 1': {
    kept: {
      'a claim that was given back': [
        stored,
        claimed(1, 1),
        { ...failed(1, 'scheduled'), outcome: 'snoozed' },
        claimed(2, 1),
        run('started', 2, 1),
      ],
    },
    broken: {
      'a claim that did not count': [stored, claimed(1, 1), failed(1, 'scheduled'), claimed(2, 1)],
      'a handler that is called once too often': [
        stored,
        claimed(1, 1),
        failed(1, 'scheduled'),
        claimed(2, 2),
        failed(2, 'scheduled'),
        claimed(3, 3),
        run('started', 3, 3),
      ],
      'a task that failed once too often': [
        stored,
        ...[1, 2, 3].flatMap((n) => [claimed(n, n), failed(n, 'scheduled')]),
      ],
    },
  },
  'a slot has one task': {
    kept: {
      'slots that were fired and skipped': [
        { ...stored, schedule: 's', slot: 1_000 },
        {
          type: 'schedule',
          queue: 'q',
          id: 's',
          everyMs: 1_000,
          firstSlot: 1_000,
          lastSlot: 3_000,
          fired: 1,
          skipped: 2,
        },
      ],
    },
    broken: {
      'a slot with two': [t, u].map((of): Told => ({
        ...stored,
        ...of,
        schedule: 's',
        slot: 1_000,
      })),
      'a slot that was passed without a word': [
        {
          type: 'schedule',
          queue: 'q',
          id: 's',
          everyMs: 1_000,
          firstSlot: 1_000,
          lastSlot: 3_000,
          fired: 0,
          skipped: 2,
        },
      ],
      'a slot whose task is not there': [
        {
          type: 'schedule',
          queue: 'q',
          id: 's',
          everyMs: 1_000,
          firstSlot: 1_000,
          lastSlot: 1_000,
          fired: 1,
          skipped: 0,
        },
      ],
    },
  },
};
