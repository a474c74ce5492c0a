import { handleBeside } from './beside.js';
import { boot } from './boot.js';
import { enqueue, enqueueUnique } from './enqueueing.js';
import { fill, handle } from './handling.js';
import { call, due, hear, supply } from './hearing.js';
import { rest } from './resting.js';

/** What a child process can be asked to do: one piece of work, and its answer. */
export const works = {
  fill,
  handle,
  handleBeside,
  enqueue,
  enqueueUnique,
  hear,
  call,
  supply,
  due,
  rest,
  boot,
};
export type Works = typeof works;
