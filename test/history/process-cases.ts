import type { CasesOf } from './cases.js';
import { claimed, died, run, stored, succeeded, t, u, up } from './told.js';

export const processCases: CasesOf<
  'a claim takes the best first' | 'after healing all comes to rest' | 'a drain ends in time'
> = {
  'a claim takes the best first': {
    kept: {
      'one that is not due': [{ ...stored, ...u, priority: -1, state: 'scheduled' }, stored, claimed(1, 1)],
      'one of another queue': [{ ...stored, queue: 'r', priority: -1 }, stored, claimed(1, 1)],
    },
    broken: {
      'a better one that waits': [{ ...stored, ...u, priority: -1 }, stored, claimed(1, 1)],
    },
  },
  'after healing all comes to rest': {
    kept: {
      'a task that is dead': [{ type: 'healed' }, { type: 'rest' }, { type: 'listed', ...t, state: 'dead' }],
      'a handler whose process died': [
        up,
        stored,
        claimed(1, 1),
        run('started', 1, 1),
        died,
        { type: 'healed' },
        { type: 'rest' },
      ],
    },
    broken: {
      'no rest': [{ type: 'healed' }],
      'a task that is left': [
        { type: 'healed' },
        { type: 'rest' },
        { type: 'listed', ...t, state: 'waiting' },
      ],
      'a claim after it': [stored, { type: 'healed' }, { type: 'rest' }, claimed(1, 1)],
      'a handler without end': [
        stored,
        claimed(1, 1),
        run('started', 1, 1),
        succeeded(1),
        { type: 'healed' },
        { type: 'rest' },
      ],
      'a run of the dead': [
        up,
        died,
        stored,
        claimed(1, 1),
        run('started', 1, 1),
        succeeded(1),
        run('ended', 1, 1),
        { type: 'healed' },
        { type: 'rest' },
      ],
    },
  },
  'a drain ends in time': {
    kept: {
      'a claim that was asked for before it': [
        { type: 'stopping', process: 'p', limitMs: 100 },
        stored,
        { ...claimed(1, 1), sentAt: 5 },
        { type: 'down', process: 'p', timers: 0 },
      ],
      'one that is cut short by a death': [{ type: 'stopping', process: 'p', limitMs: 100 }, died],
    },
    broken: {
      'one without end': [{ type: 'stopping', process: 'p', limitMs: 100 }],
      'one that takes too long': [
        { type: 'stopping', process: 'p', limitMs: 5 },
        { type: 'down', process: 'p', timers: 0 },
      ],
      'a timer': [{ type: 'down', process: 'p', timers: 1 }],
      'a call': [{ type: 'down', process: 'p', timers: 0, calls: 1 }],
      'a claim that was asked for after it': [
        { type: 'stopping', process: 'p', limitMs: 100 },
        stored,
        { ...claimed(1, 1), sentAt: 25 },
        { type: 'down', process: 'p', timers: 0 },
      ],
      'a run after it': [
        stored,
        claimed(1, 1),
        { type: 'down', process: 'p', timers: 0 },
        run('started', 1, 1),
        run('ended', 1, 1),
        succeeded(1),
      ],
    },
  },
};
