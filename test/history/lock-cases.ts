import type { CasesOf } from './cases.js';
import {
  aborted,
  claimed,
  failed,
  held,
  leaseEnded,
  moved,
  run,
  stored,
  succeeded,
  u,
  unique,
  up,
} from './told.js';

export const lockCases: CasesOf<'a lock has a holder in its phase' | 'a unique key has one holder at once'> =
  {
    'a lock has a holder in its phase': {
      kept: {
        'one that runs': [unique('while_executing'), claimed(1, 1), held('t')],
        'one that waits for its retry': [
          unique('until_completed'),
          claimed(1, 1),
          failed(1, 'scheduled'),
          held('t'),
        ],
        'one that has not started': [unique('until_executing'), held('t')],
      },
      broken: {
        'a holder that does not exist': [held('t')],
        'a holder that has ended': [unique('until_completed'), claimed(1, 1), succeeded(1), held('t')],
        'a holder that does not run': [unique('while_executing'), held('t')],
        'a holder that has started': [unique('until_executing'), claimed(1, 1), held('t')],
        'a holder of another key': [stored, held('t')],
      },
    },
    'a unique key has one holder at once': {
      kept: {
        'one after the other': [
          unique('until_completed'),
          claimed(1, 1),
          succeeded(1),
          unique('until_completed', u),
        ],
        'a second one beside one that has started': [
          unique('until_executing'),
          claimed(1, 1),
          unique('until_executing', u),
        ],
        'a second one beside one that has failed': [
          unique('until_executed'),
          claimed(1, 1),
          failed(1, 'scheduled'),
          unique('until_executed', u),
        ],
        'a run that outlasts its lease': [
          up,
          unique('while_executing'),
          unique('while_executing', u),
          claimed(1, 1),
          run('started', 1, 1),
          aborted,
          leaseEnded(1),
          moved('waiting'),
          claimed(2, 1, u),
          run('started', 2, 1, u),
        ],
      },
      broken: {
        'two live ones': [unique('until_completed'), unique('until_completed', u)],
        'two that have not started': [unique('until_executing'), unique('until_executing', u)],
        'two that have not failed': [unique('until_executed'), claimed(1, 1), unique('until_executed', u)],
        'two that run': [
          unique('while_executing'),
          unique('while_executing', u),
          claimed(1, 1),
          run('started', 1, 1),
          claimed(2, 1, u),
          run('started', 2, 1, u),
        ],
        'a run though it met the lock': [
          unique('while_executing'),
          unique('while_executing', u),
          claimed(1, 1),
          run('started', 1, 1),
          { ...claimed(2, 1, u), conflictsWith: 't' },
          run('started', 2, 1, u),
        ],
      },
    },
  };
