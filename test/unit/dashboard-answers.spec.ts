import { describe, expect, it } from '@jest/globals';
import { taskInfo } from '../../lib/catalog/task-info.js';
import { chartsOfAll } from '../../lib/dashboard/answers/charts.js';
import { contentOf } from '../../lib/dashboard/answers/content.js';
import { taskDetails, taskRow } from '../../lib/dashboard/answers/task-answers.js';
import { spanWords, tasksWords } from '../../lib/dashboard/answers/words.js';
import type { Chart } from '../../lib/dashboard/api.js';
import { failureOf } from '../../lib/dashboard/http/failure-of.js';
import type { TaskRecord } from '../../lib/task/task-record.js';

const record: TaskRecord = {
  ...{ queue: 'mail', id: 'a', job: 'Send', params: '{"to":"ada"}', state: 'dead', priority: 0 },
  ...{ enqueuedAt: 1_000, dueAt: 2_000, attempt: 1, failures: 1, retries: 0, finishedAt: 3_000 },
  errors: [{ name: 'Error', message: 'first line\n  second', stack: 'at …', attempt: 1, at: 2_500 }],
};

describe('A task as the API tells it', () => {
  it('names its trace, and keeps what the application lets travel with it to itself', () => {
    const trace = { traceparent: `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`, baggage: 'token=secret' };
    const extra = JSON.stringify({ trace, context: { session: 'secret' }, timeoutMs: 5 });
    const details = taskDetails(taskInfo({ ...record, extra }), true);
    expect(details).toMatchObject({ traceId: 'ab'.repeat(16), extra: { json: { timeoutMs: 5 } } });
    expect(JSON.stringify(details)).not.toContain('secret');
    const odd = JSON.stringify({ trace: { traceparent: '<script>' }, context: 1 });
    expect(taskDetails(taskInfo({ ...record, extra: odd }), true)).toMatchObject({
      traceId: undefined,
      extra: undefined,
    });
  });

  it('offers what can be done with it to whoever may do it', () => {
    const actionsOf = (change: Partial<TaskRecord>, mayOperate = true) =>
      taskDetails(taskInfo({ ...record, ...change }), mayOperate).actions;
    expect(actionsOf({})).toEqual(['retry', 'remove']);
    expect(actionsOf({}, false)).toEqual([]);
    expect(actionsOf({ state: 'pending' })).toEqual(['cancel']);
    expect(actionsOf({ state: 'pending', cancelRequested: true })).toEqual([]);
  });

  it('is a line with its latest error and the beginning of its params in a list', () => {
    const row = taskRow(taskInfo({ ...record, params: JSON.stringify('x'.repeat(5_000)) }));
    expect(row).toMatchObject({ error: 'Error: first line second', finishedAt: 3_000 });
    expect(row.params).toHaveLength(200);
  });

  it('has large values, and what is no JSON, cut off as text', () => {
    expect(contentOf('{"a":1}')).toEqual({ json: { a: 1 }, bytes: 7 });
    expect(contentOf('')).toEqual({ json: null, bytes: 0 });
    expect(contentOf('{oh')).toEqual({ text: '{oh', bytes: 3, isCut: false });
    const large = contentOf(JSON.stringify('é'.repeat(200_000)));
    expect(large).toMatchObject({ bytes: 400_002, isCut: true });
    expect('text' in large && large.text.length).toBe(16_384);
  });
});

describe('Charts of several queues', () => {
  const chart = (startsAt: number, spanMs: number, length: number, last: number): Chart => {
    const amounts = [...Array<number>(length - 1).fill(0), last];
    return { startsAt, spanMs, succeeded: amounts, failed: amounts, dead: amounts };
  };

  it('are added up by their moments, where one store is a minute ahead', () => {
    const day = chart(0, 3_600_000, 24, 0);
    const { hour } = chartsOfAll([
      { hour: chart(60_000, 60_000, 60, 1), day },
      { hour: chart(120_000, 60_000, 60, 2), day },
    ]);
    expect(hour.startsAt).toBe(120_000);
    expect(hour.succeeded.slice(-3)).toEqual([0, 1, 2]);
    expect(hour.succeeded).toHaveLength(60);
  });

  it('are full of zeros where there is no queue', () => {
    const { hour, day } = chartsOfAll([]);
    expect([hour.dead.length, day.dead.length]).toEqual([60, 24]);
  });
});

it('Words of the dashboard are those that one says', () => {
  expect([999, 1_000, 60_000, 7_300_000, 172_800_000].map(spanWords)).toEqual([
    '999 milliseconds',
    '1 second',
    '1 minute',
    '2 hours',
    '2 days',
  ]);
  expect([1, 1_200].map(tasksWords)).toEqual(['1 task', '1,200 tasks']);
});

it("A mistake in the dashboard's code says nothing to the outside, a client's error is the store's silence", () => {
  expect(failureOf(new TypeError("reading 'secret'"))).toMatchObject({ status: 500, code: 'INTERNAL' });
  expect(failureOf(new TypeError("reading 'secret'")).message).not.toContain('secret');
  expect(failureOf('thrown')).toMatchObject({ status: 500 });
  const refused = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
  expect(failureOf(refused)).toMatchObject({ status: 503, code: 'STORE_UNAVAILABLE' });
  expect(failureOf(refused).message).toContain('ECONNREFUSED');
});
