import type { CasesOf } from './cases.js';
import { claimed, failed, leaseEnded, moved, stored, succeeded, t, u } from './told.js';

export const taskCases: CasesOf<
  | 'no acknowledged enqueue is lost'
  | 'what was refused unsent is not stored'
  | 'every task is in exactly one state'
  | 'no write is taken from an old epoch'
> = {
  'no acknowledged enqueue is lost': {
    kept: {
      'a task that ended before it was acknowledged': [
        { type: 'enqueue', process: 'p', ...t },
        stored,
        claimed(1, 1),
        succeeded(1),
        { type: 'acknowledged', ...t, status: 'enqueued' },
      ],
      'a task that another took the place of': [
        { type: 'acknowledged', ...u, status: 'replaced', holder: 't' },
        { type: 'listed', ...t, state: 'waiting' },
      ],
      'a task that was not stored': [{ type: 'acknowledged', ...t, status: 'rejected', holder: 'u' }],
    },
    broken: {
      'a task that is nowhere': [{ type: 'acknowledged', ...t, status: 'enqueued' }],
      'a task whose id had its end before': [
        stored,
        moved('cancelled'),
        { type: 'enqueue', process: 'p', ...t },
        { type: 'acknowledged', ...t, status: 'enqueued' },
      ],
    },
  },
  'what was refused unsent is not stored': {
    kept: {
      'one that may have been sent': [
        { type: 'enqueue', process: 'p', ...t },
        { type: 'refused', ...t, sent: true },
        stored,
      ],
    },
    broken: {
      'one that is there': [
        { type: 'enqueue', process: 'p', ...t },
        { type: 'refused', ...t, sent: false },
        stored,
      ],
    },
  },
  'every task is in exactly one state': {
    kept: {
      'a task that is listed where it was seen': [stored, { type: 'listed', ...t, state: 'waiting' }],
    },
    broken: {
      'a task in two states': [
        { type: 'listed', ...t, state: 'waiting' },
        { type: 'listed', ...t, state: 'dead' },
      ],
      'a task in none': [stored, { type: 'listed', ...u, state: 'dead' }],
      'a task in another than the one it went to': [stored, { type: 'listed', ...t, state: 'parked' }],
      'a step that there is not': [stored, moved('dead')],
    },
  },
  'no write is taken from an old epoch': {
    kept: {
      'a success that comes after its lease, but before another claim': [
        stored,
        claimed(1, 1),
        leaseEnded(1),
        moved('waiting'),
        succeeded(1),
      ],
      'an answer that was heard after the next claim': [
        stored,
        claimed(1, 1),
        claimed(2, 2),
        { ...succeeded(1), sentAt: 15 },
      ],
    },
    broken: {
      'an outcome': [stored, claimed(1, 1), leaseEnded(1), moved('waiting'), claimed(2, 2), succeeded(1)],
      'a renewal': [
        stored,
        claimed(1, 1),
        leaseEnded(1),
        moved('waiting'),
        claimed(2, 2),
        { type: 'renewed', ...t, process: 'p', epoch: 1 },
      ],
      'a failure after the lease': [stored, claimed(1, 1), leaseEnded(1), failed(1, 'scheduled')],
      'an epoch that was drawn twice': [stored, claimed(2, 1), failed(2, 'scheduled'), claimed(2, 2)],
      'an outcome that was taken twice': [
        stored,
        claimed(1, 1),
        failed(1, 'scheduled'),
        failed(1, 'scheduled'),
      ],
    },
  },
};
