import type { CasesOf } from './cases.js';
import {
  aborted,
  claimed,
  died,
  failed,
  leaseEnded,
  moved,
  offered,
  run,
  stored,
  succeeded,
  t,
  u,
  up,
  type Told,
} from './told.js';

const storedAs = (of: typeof t): Told => ({ ...stored, ...of });
const v = { queue: 'q', id: 'v' };
const all = [t, u, v].map(storedAs);
const healed: Told = { type: 'healed' };
const rest: Told = { type: 'rest' };
const toldLost = (attempt: number): Told => ({ type: 'told-lost', ...t, process: 'p', attempt });

export const leaseCases: CasesOf<
  | 'no process runs more than its slots'
  | 'a signal aborts before its lease ends'
  | 'what was taken is not called lost'
  | 'after healing no lease is lost'
> = {
  'no process runs more than its slots': {
    kept: {
      'a third run after the first': [
        up,
        ...all,
        claimed(1, 1, t),
        claimed(2, 1, u),
        run('started', 1, 1, t),
        run('started', 2, 1, u),
        run('ended', 1, 1, t),
        claimed(3, 1, v),
        run('started', 3, 1, v),
      ],
      'a third run beside one that was given up': [
        up,
        ...all,
        claimed(1, 1, t),
        claimed(2, 1, u),
        run('started', 1, 1, t),
        run('started', 2, 1, u),
        offered(1),
        claimed(3, 1, v),
        run('started', 3, 1, v),
      ],
    },
    broken: {
      'a third run beside two': [
        up,
        ...all,
        ...[t, u, v].flatMap((of, at) => [claimed(at + 1, 1, of), run('started', at + 1, 1, of)]),
      ],
    },
  },
  'a signal aborts before its lease ends': {
    kept: {
      'one that did': [
        up,
        stored,
        claimed(1, 1),
        run('started', 1, 1),
        aborted,
        leaseEnded(1),
        moved('waiting'),
      ],
      'a run that was over': [
        up,
        stored,
        claimed(1, 1),
        run('started', 1, 1),
        run('ended', 1, 1),
        leaseEnded(1),
        moved('waiting'),
      ],
      'an event loop that stood still': [
        up,
        stored,
        claimed(1, 1),
        run('started', 1, 1),
        { type: 'stalled', process: 'p', forMs: 10 },
        leaseEnded(1),
        moved('waiting'),
      ],
      'a process that died': [
        up,
        stored,
        claimed(1, 1),
        run('started', 1, 1),
        died,
        leaseEnded(1),
        moved('waiting'),
      ],
    },
    broken: {
      'one that did not': [up, stored, claimed(1, 1), run('started', 1, 1), leaseEnded(1), moved('waiting')],
      'one that did too late': [
        up,
        stored,
        claimed(1, 1),
        run('started', 1, 1),
        leaseEnded(1),
        moved('waiting'),
        aborted,
      ],
      'an event loop that stood still before the last renewal': [
        up,
        { type: 'stalled', process: 'p', forMs: 25 },
        stored,
        claimed(1, 1),
        run('started', 1, 1),
        { type: 'renewed', ...t, process: 'p', epoch: 1 },
        leaseEnded(1),
        moved('waiting'),
      ],
    },
  },
  'what was taken is not called lost': {
    kept: {
      'an outcome that was not taken': [stored, claimed(1, 1), leaseEnded(1), moved('waiting'), toldLost(1)],
      'a repeat after which another had the task': [
        stored,
        claimed(1, 1),
        failed(1, 'scheduled'),
        { ...claimed(2, 2), process: 'other' },
        toldLost(1),
      ],
    },
    broken: {
      'a success': [stored, claimed(1, 1), succeeded(1), toldLost(1)],
      'a failure': [stored, claimed(1, 1), failed(1, 'scheduled'), toldLost(1)],
    },
  },
  'after healing no lease is lost': {
    kept: {
      'one from before': [stored, claimed(1, 1), healed, leaseEnded(1), moved('waiting'), rest],
      'one of a process that was to stop before': [
        { type: 'stopping', process: 'p', limitMs: 1_000 },
        healed,
        stored,
        claimed(1, 1),
        { type: 'down', process: 'p', timers: 0 },
        leaseEnded(1),
        moved('waiting'),
        rest,
      ],
      'one of a process that still stood still at the healing': [
        up,
        { type: 'stalled', process: 'p', forMs: 100 },
        healed,
        stored,
        claimed(1, 1),
        leaseEnded(1),
        moved('waiting'),
        rest,
      ],
      'one of a process that died': [
        up,
        healed,
        stored,
        claimed(1, 1),
        died,
        leaseEnded(1),
        moved('waiting'),
        rest,
      ],
    },
    broken: {
      'one of a process that had stood still before': [
        up,
        { type: 'stalled', process: 'p', forMs: 1 },
        healed,
        stored,
        claimed(1, 1),
        leaseEnded(1),
        moved('waiting'),
        rest,
      ],
      'one of a process that is well': [
        up,
        healed,
        stored,
        claimed(1, 1),
        leaseEnded(1),
        moved('waiting'),
        rest,
      ],
    },
  },
};
