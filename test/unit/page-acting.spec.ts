import { describe, expect, it } from '@jest/globals';
import type { TaskActed, TaskActRequest } from '../../lib/dashboard/api.js';
import type { Api } from '../../page/src/core/api.js';
import { act, preview } from '../../page/src/tasks/act-on-tasks.js';

const { signal } = new AbortController();
const which = { filter: { state: ['dead'] as const } };
const nobody = () => {};

/** An API that keeps what it was asked, and answers in turn. */
function apiOf(answer: (asked: TaskActRequest, call: number) => object) {
  const asked: TaskActRequest[] = [];
  const post = async (_: string, body: TaskActRequest) => answer(body, asked.push(body));
  return { api: { post } as unknown as Api, asked };
}
const acted = (done: number, next?: string): TaskActed => ({
  ...{ done, requested: 0, left: 0, taken: 0, missing: 0 },
  next,
});

describe('An action of the page', () => {
  it('counts call by call, and keeps the moment at which it began to count', async () => {
    const { api, asked } = apiOf((_, call) => ({
      count: 3,
      asOf: call,
      next: call < 3 ? 'more' : undefined,
    }));
    expect(await preview(api, 'retry', which, signal, nobody)).toEqual({ count: 9, asOf: 1 });
    expect(asked).toHaveLength(3);
  });

  it('deals with no more than were named, whatever else matches by then', async () => {
    const { api, asked } = apiOf(({ limit }) => acted(Math.min(limit!, 8_000), 'more'));
    const sum = await act(api, 'retry', which, { count: 20_000, asOf: 5 }, signal, nobody);
    expect(sum.done).toBe(20_000);
    expect(asked.map(({ limit, asOf }) => [limit, asOf])).toEqual([
      [10_000, 5],
      [10_000, 5],
      [4_000, 5],
    ]);
  });
});
