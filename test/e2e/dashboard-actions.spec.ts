import { expect, it } from '@jest/globals';
import type { TaskState } from 'nestjs-jobs';
import { statesForAction, type TaskAction } from '../../lib/dashboard/api.js';
import { startApp } from '../support/app.js';

const states: TaskState[] = ['scheduled', 'waiting', 'pending', 'succeeded', 'dead', 'cancelled', 'parked'];

it('The dashboard offers each action in the states in which the catalog takes it, and in no other', async () => {
  const { catalog } = await startApp({});
  for (const action of Object.keys(statesForAction) as TaskAction[]) {
    const taken: TaskState[] = [];
    for (const state of states) {
      const isTaken = await catalog[action]({ state }).then(
        () => true,
        () => false,
      );
      if (isTaken) taken.push(state);
    }
    expect([action, taken.sort()]).toEqual([action, [...statesForAction[action]].sort()]);
  }
});
