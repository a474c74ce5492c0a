import { expect, it } from '@jest/globals';
import type { TaskList } from '../../lib/dashboard/api.js';
import { allJobs, Dig } from './fixtures/dashboard-jobs.js';
import { describeAdapters, sameOrigin, startDashboard } from './fixtures/dashboard-stage.js';

const refs = (count: number) => Array.from({ length: count }, (_, at) => ({ queue: 'slow', id: `${at}` }));

describeAdapters('What is asked of the dashboard', (adapter) => {
  const start = () => startDashboard({ adapter, providers: allJobs, jobs: { runner: false } });

  it('is refused with what is wrong where it cannot mean anything', async () => {
    const { get, post } = await start();
    const scheduled = { filter: { state: ['scheduled'] } };
    const cases: [path: string, body: unknown, violation: string][] = [
      ['tasks?limit=0', undefined, 'limit'],
      ['tasks?limit=201', undefined, 'limit'],
      ['tasks?limit=1e2', undefined, 'limit'],
      ['tasks?limit=1&limit=2', undefined, 'limit'],
      ['tasks?state=asleep', undefined, 'state'],
      ['tasks?sort=id', undefined, 'sort'],
      ['tasks?text=', undefined, 'text'],
      [`tasks?text=${'x'.repeat(1_001)}`, undefined, 'text'],
      ['tasks?from=yesterday', undefined, 'from'],
      ['tasks?backwards=yes', undefined, 'backwards'],
      [`tasks?${'queue=a&'.repeat(101)}`, undefined, 'queue'],
      ['task', undefined, 'id'],
      ['overview?x=1', undefined, 'x'],
      ['schedules?isPaused=1', undefined, 'isPaused'],
      ['tasks/act', { action: 'explode', which: scheduled }, 'action'],
      ['tasks/act', { action: 'runNow' }, 'which'],
      ['tasks/act', { action: 'runNow', which: {} }, 'which'],
      ['tasks/act', { action: 'runNow', which: { ...scheduled, refs: refs(1) } }, 'which'],
      ['tasks/act', { action: 'runNow', which: { filter: {} } }, 'which.filter.state'],
      ['tasks/act', { action: 'runNow', which: { filter: { state: ['dead'] } } }, 'which.filter.state'],
      ['tasks/preview', { action: 'retry', which: scheduled }, 'which.filter.state'],
      ['tasks/act', { action: 'runNow', which: { refs: [] } }, 'which.refs'],
      ['tasks/act', { action: 'runNow', which: { refs: refs(501) } }, 'which.refs'],
      ['tasks/act', { action: 'runNow', which: { refs: ['a'] } }, 'which.refs.0'],
      ['tasks/act', { action: 'runNow', which: { refs: [{ queue: 'slow' }] } }, 'which.refs.0.id'],
      ['tasks/act', { action: 'runNow', which: scheduled, limit: 10_001 }, 'limit'],
      ['tasks/act', { action: 'runNow', which: scheduled, asOf: 'now' }, 'asOf'],
      ['queues/act', { action: 'pause', queue: 'slow', forMs: -1 }, 'forMs'],
      ['jobs/enqueue', { job: 'Dig', options: { transaction: {} } }, 'options.transaction'],
      ['jobs/enqueue', { job: 'Dig', options: { priority: 5_000 } }, 'priority'],
      ['jobs/enqueue', {}, 'job'],
    ];
    for (const [path, body, violation] of cases) {
      const { status, error } = body === undefined ? await get(path) : await post(path, body);
      expect([path, body, status, error?.code]).toEqual([path, body, 400, 'INVALID_REQUEST']);
      expect(error.violations![0]!.path).toBe(violation);
    }
    expect((await post('tasks/act', [])).error.message).toBe('the body must be a JSON object');
  });

  it('is refused with a cursor that no page gave, or that of another filter', async () => {
    const { get, post, jobs } = await start();
    for (let at = 0; at < 3; at++) await jobs.enqueue(Dig);
    const { next } = (await get<TaskList>('tasks?state=waiting&limit=1')).body;
    expect(next).toBeDefined();
    for (const path of [
      'tasks?after=abc',
      `tasks?state=dead&after=${next}`,
      `tasks?state=waiting&after=${next}x`,
      `schedules?after=${next}`,
    ]) {
      const { status, error } = await get(path);
      expect([path, status, error.code]).toEqual([path, 400, 'INVALID_CURSOR']);
    }
    expect((await get(`tasks?after=${'a'.repeat(12_001)}`)).status).toBeGreaterThanOrEqual(400);
    const which = { filter: { state: ['waiting'] } };
    const acted = await post('tasks/act', { action: 'remove', which, after: next });
    expect([acted.status, acted.error.code]).toEqual([400, 'INVALID_CURSOR']);
  });

  it('is refused where the body is too large or no JSON', async () => {
    const { url } = await start();
    const send = async (body: string) => {
      const headers = { ...sameOrigin, 'content-type': 'application/json' };
      const answer = await fetch(new URL('api/v1/jobs/check', url), { method: 'POST', headers, body });
      await answer.text();
      return answer.status;
    };
    expect(await send(JSON.stringify({ job: 'Dig', params: 'x'.repeat(1_100_000) }))).toBe(413);
    expect(await send('{"job":')).toBe(400);
    expect(await send('')).toBe(400);
    expect(await send('{"job":"Dig","__proto__":{"x":1}}')).toBe(400);
  });

  it('answers 405 to methods that it does not know', async () => {
    const { url } = await start();
    for (const [method, path] of [
      ['PUT', 'api/v1/tasks'],
      ['DELETE', 'api/v1/task'],
      ['POST', 'api/v1/overview'],
      ['GET', 'api/v1/tasks/act'],
      ['PATCH', ''],
    ] as const) {
      const answer = await fetch(new URL(path, url), { method, headers: sameOrigin });
      expect([method, path, answer.status]).toEqual([method, path, 405]);
      expect(((await answer.json()) as any).error.code).toBe('METHOD_NOT_ALLOWED');
    }
  });
});
