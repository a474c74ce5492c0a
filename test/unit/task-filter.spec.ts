import { describe, expect, it, test } from '@jest/globals';
import { InvalidOptionError } from '../../lib/task/errors.js';
import { readFilter, taskStates, type TaskFilter } from '../../lib/catalog/task-filter.js';
import type { TaskRecord } from '../../lib/task/task-record.js';

const task: TaskRecord = {
  queue: 'mail',
  id: 'Task-1',
  job: 'SendWelcome',
  params: JSON.stringify({ to: 'ada@example.com', why: 'Said "No\\one"', lines: 'first\nsecond' }),
  state: 'dead',
  priority: 0,
  enqueuedAt: 100,
  dueAt: 200,
  finishedAt: 300,
  attempt: 2,
  failures: 2,
  retries: 1,
  errors: [
    { name: 'RangeError', message: 'first', attempt: 1, at: 150 },
    { name: 'SmtpError', message: 'no host 17', attempt: 2, at: 300 },
  ],
};

const wants = (filter: TaskFilter, record = task) => readFilter('tasks', filter).wants!(record);

describe('A filter', () => {
  it('of queue and state alone is left to the index', () => {
    const { wants: scan, queues, states } = readFilter('tasks', { queue: ['b', 'a', 'b'], state: 'dead' });
    expect([scan, queues, states]).toEqual([undefined, ['a', 'b'], ['dead']]);
    expect(readFilter('tasks', {}).states).toEqual(taskStates);
  });

  it('goes through the states in the order given', () => {
    expect(readFilter('tasks', { state: ['succeeded', 'dead'] }).states).toEqual(['succeeded', 'dead']);
  });

  it('knows all states', () => {
    const all = { scheduled: 1, waiting: 1, pending: 1, succeeded: 1, dead: 1, cancelled: 1, parked: 1 };
    expect(taskStates.toSorted()).toEqual(
      Object.keys(all satisfies Record<TaskRecord['state'], number>).toSorted(),
    );
  });

  test.each([
    [{ job: 'SendWelcome' }, true],
    [{ job: ['Other', 'SendWelcome'] }, true],
    [{ job: 'Send' }, false],
    [{ from: 300, to: 301 }, true],
    [{ from: new Date(301) }, false],
    [{ to: 300 }, false],
    [{ text: 'task-1' }, true],
    [{ text: 'welcome' }, true],
    [{ text: 'ADA@' }, true],
    [{ text: 'rangeerror: first' }, true],
    [{ text: 'grace' }, false],
    [{ text: 'said "No\\one"' }, true],
    [{ text: 'said \\"no' }, true],
    [{ text: 'first\nsecond' }, true],
    [{ text: '"to":"ada' }, true],
    [{ error: 'SmtpError: no host #' }, true],
    [{ error: 'RangeError: first' }, false],
    [{ job: 'SendWelcome', text: 'grace' }, false],
  ] as [TaskFilter, boolean][])('%j takes the task: %s', (filter, isTaken) => {
    expect(wants(filter)).toBe(isTaken);
  });

  it('looks at the due time of a task that has not ended', () => {
    expect(wants({ from: 200, to: 201 }, { ...task, finishedAt: undefined })).toBe(true);
  });

  it('tells one question from another', () => {
    const question = (filter: TaskFilter) => JSON.stringify(readFilter('tasks', filter).question);
    const questions = [
      {},
      { from: 1 },
      { to: 1 },
      { text: 'a' },
      { error: 'a' },
      { job: 'a' },
      { queue: 'a' },
    ];
    expect(new Set(questions.map(question)).size).toBe(questions.length);
    expect(question({ from: new Date(1) })).toBe(question({ from: 1 }));
  });

  test.each([
    [{ state: 'done' }, /state is "done", but must be pending, waiting/],
    [{ state: [] }, /state is \[\]/],
    [{ queue: '' }, /queue is ""/],
    [{ queue: 3 }, /queue is 3/],
    [{ job: ['a', undefined] }, /job/],
    [{ text: '' }, /text is "", but must be a text of 1 to 1000/],
    [{ text: 'x'.repeat(1_001) }, /text/],
    [{ from: new Date('x') }, /from/],
    [{ to: 'now' }, /to is "now", but must be a Date/],
    [{ queues: 'mail' }, /filter\.queues is "mail", but must be left out/],
    ['dead', /filter is "dead", but must be an object/],
  ])('%j is refused by a typed error', (filter, message) => {
    expect(() => readFilter('tasks', filter as TaskFilter)).toThrow(InvalidOptionError);
    expect(() => readFilter('tasks', filter as TaskFilter)).toThrow(message);
  });
});
