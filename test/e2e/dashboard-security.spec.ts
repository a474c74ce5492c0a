import { afterEach, describe, expect, it } from '@jest/globals';
import {
  Injectable,
  Module,
  UnauthorizedException,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { JobsDashboardModule, type DashboardRole } from 'nestjs-jobs/dashboard';
import type { Session } from '../../lib/dashboard/api.js';
import { allJobs, Dig } from './fixtures/dashboard-jobs.js';
import {
  describeAdapters,
  listen,
  rawGet,
  sameOrigin,
  startDashboard,
  type DashboardApp,
} from './fixtures/dashboard-stage.js';

@Injectable()
class Passwords {
  isRight(password: string | undefined) {
    return password === 'open sesame';
  }
}

@Module({ providers: [Passwords], exports: [Passwords] })
class PasswordModule {}

@Injectable()
class PasswordGuard implements CanActivate {
  constructor(private readonly passwords: Passwords) {}

  canActivate(context: ExecutionContext) {
    const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, string> }>();
    if (this.passwords.isRight(headers.authorization)) return true;
    throw new UnauthorizedException();
  }
}

const environment = process.env.NODE_ENV;
afterEach(() => {
  process.env.NODE_ENV = environment;
});

/** Every way to look at something. */
async function looks({ url, get }: DashboardApp, headers: Record<string, string> = {}) {
  const page = await fetch(url, { headers });
  const html = await page.text();
  const asset = /assets\/[\w.-]+\.js/.exec(html)?.[0] ?? 'assets/none.js';
  const file = await fetch(new URL(asset, url), { headers });
  await file.text();
  const stream = await listen(url, headers);
  stream.stop();
  const api = ['session', 'overview', 'tasks', 'jobs', 'openapi.json', 'nothing'];
  const answers = await Promise.all(api.map((path) => get(path, headers)));
  return [page.status, file.status, stream.answer.status, ...answers.map(({ status }) => status)];
}
const allOf = (status: number) => Array(9).fill(status);

describeAdapters('The dashboard', (adapter) => {
  it('is closed outside development unless guards or authorize say who may enter, and says so in the log', async () => {
    for (const name of ['production', 'staging', 'test', undefined]) {
      if (name === undefined) delete process.env.NODE_ENV;
      else process.env.NODE_ENV = name;
      const stage = await startDashboard({ adapter, isOpen: false });
      expect(await looks(stage)).toEqual(allOf(403));
      const { error } = await stage.post('queues/act', { action: 'pause', queue: 'mail' });
      expect(error.code).toBe('CLOSED');
      expect(stage.lines.join()).toMatch(
        /warn: the dashboard at \/jobs answers 403 to everybody: neither `guards` nor `authorize`/,
      );
    }
  });

  it('is open in development, with a warning, but not to sites of the web that lead here by their own names', async () => {
    process.env.NODE_ENV = 'development';
    const { get, url, lines } = await startDashboard({ adapter, isOpen: false });
    expect((await get<Session>('session')).body.roles).toEqual(['view', 'operate', 'enqueue']);
    expect(lines.join()).toContain('open to whoever reaches this process');
    const named = (host: string) => rawGet(url, '/jobs/api/v1/session', { host });
    expect((await named('evil.example:3000')).status).toBe(403);
    for (const host of ['localhost:3000', 'app.localhost', '10.0.0.3:80', '[::1]:3000', 'app'])
      expect([host, (await named(host)).status]).toEqual([host, 200]);
  });

  it("lets the application's own guards go first, with what Nest injects into them, before its files, too", async () => {
    process.env.NODE_ENV = 'production';
    const dashboard = { guards: [PasswordGuard], imports: [PasswordModule] };
    const stage = await startDashboard({ adapter, dashboard });
    expect(await looks(stage)).toEqual(allOf(401));
    expect((await stage.post('queues/act', { action: 'pause', queue: 'mail' })).status).toBe(401);
    const known = { authorization: 'open sesame' };
    expect(await looks(stage, known)).toEqual([...Array(8).fill(200), 404]);
    expect((await stage.get<Session>('session', known)).body.roles).toEqual(['view', 'operate', 'enqueue']);
  });

  it('lets global guards go first, too', async () => {
    const stage = await startDashboard({
      adapter,
      dashboard: { authorize: () => ['view'] },
      providers: [Passwords, { provide: APP_GUARD, useClass: PasswordGuard }],
    });
    expect(await looks(stage)).toEqual(allOf(401));
    expect((await stage.get('overview', { authorization: 'open sesame' })).status).toBe(200);
  });

  it('decides for each request what the one who asks may do', async () => {
    const roles: Record<string, readonly DashboardRole[] | false> = {
      guest: false,
      viewer: ['view'],
      operator: ['operate'],
      clerk: ['enqueue'],
      odd: ['root' as never],
    };
    const nameOf = (headers: Record<string, unknown>) => String(headers['x-name']);
    const { get, post, lines, catalog } = await startDashboard({
      adapter,
      providers: allJobs,
      jobs: { runner: false },
      dashboard: {
        authorize: async ({ headers }) => roles[nameOf(headers)] ?? false,
        user: ({ headers }) => nameOf(headers),
      },
    });
    const as = (name: string) => ({ 'x-name': name, ...sameOrigin });
    const pause = { action: 'pause', queue: 'mail' };
    const statuses: Record<string, number[]> = {};
    for (const name of ['nobody', ...Object.keys(roles)])
      statuses[name] = [
        (await get('overview', as(name))).status,
        (await post('queues/act', pause, as(name))).status,
        (await post('jobs/enqueue', { job: 'Dig' }, as(name))).status,
      ];
    expect(statuses).toEqual({
      nobody: [403, 403, 403],
      guest: [403, 403, 403],
      viewer: [200, 403, 403],
      operator: [200, 200, 403],
      clerk: [200, 403, 200],
      odd: [403, 403, 403],
    });
    expect((await catalog.counts()).waiting).toBe(1);
    expect((await get<Session>('session', as('operator'))).body).toMatchObject({
      user: 'operator',
      roles: ['view', 'operate'],
    });
    expect(lines.join('\n')).toContain(`"viewer": queues/act refused, for lack of the role 'operate'`);
    expect((await post('tasks/preview', {}, as('viewer'))).error.code).toBe('FORBIDDEN');
  });

  it('names whom a guard has let in, without being told how', async () => {
    const users: Record<string, unknown> = {
      text: 'ann',
      claims: { sub: 'u-17', iat: 1 },
      record: { id: 7, email: 'bea@example.com', name: '' },
      number: { id: 7 },
      posing: { id: 8, name: 'ann' },
      named: { name: 'cid' },
      nobody: { roles: ['admin'] },
    };
    const lettingIn: CanActivate = {
      canActivate(context) {
        const request = context
          .switchToHttp()
          .getRequest<{ headers: Record<string, string>; user?: unknown }>();
        request.user = users[request.headers['x-name']!];
        return true;
      },
    };
    const { post, lines } = await startDashboard({
      adapter,
      providers: allJobs,
      jobs: { runner: false },
      dashboard: { guards: [lettingIn] },
    });
    for (const name of Object.keys(users))
      await post('queues/act', { action: 'pause', queue: 'mail' }, { 'x-name': name, ...sameOrigin });
    expect(lines.filter((line) => line.startsWith('log: '))).toEqual(
      ['"ann"', '"u-17"', '"7"', '"7"', '"8 (ann)"', '"cid"', 'somebody'].map(
        (who) => `log: ${who}: pause of queue "mail"`,
      ),
    );
  });

  it('lets nobody in where authorize fails, and tells what Nest would', async () => {
    const stage = await startDashboard({
      adapter,
      dashboard: {
        authorize({ headers }) {
          if (headers['x-name'] === 'expired') throw new UnauthorizedException('log in again');
          throw new TypeError('no such column: role');
        },
      },
    });
    expect(await looks(stage)).toEqual(allOf(500));
    expect(JSON.stringify((await stage.get('session')).body)).not.toContain('column');
    expect(stage.lines.join()).toContain('the option `authorize` failed');
    const expired = await stage.get('session', { 'x-name': 'expired' });
    expect([expired.status, expired.error]).toEqual([401, { code: 'FORBIDDEN', message: 'log in again' }]);
  });

  it('does nothing where it is for reading alone', async () => {
    const { get, post, jobs, catalog } = await startDashboard({
      adapter,
      providers: allJobs,
      jobs: { runner: false },
      dashboard: { readOnly: true },
    });
    const { id } = await jobs.enqueue(Dig);
    expect((await get<Session>('session')).body).toMatchObject({ roles: ['view'], isReadOnly: true });
    const which = { refs: [{ queue: 'slow', id }] };
    const writes: [string, object][] = [
      ['tasks/act', { action: 'remove', which }],
      ['tasks/preview', { action: 'remove', which }],
      ['queues/act', { action: 'pause', queue: 'slow' }],
      ['schedules/act', { action: 'remove', queue: 'reports', id: 'SendInvoices' }],
      ['jobs/enqueue', { job: 'Dig' }],
    ];
    for (const [path, body] of writes) {
      const { status, error } = await post(path, body);
      expect([path, status, error.code]).toEqual([path, 403, 'READ_ONLY']);
    }
    expect((await get(`task?id=${id}`)).body.actions).toEqual([]);
    expect(await catalog.counts()).toMatchObject({ waiting: 1 });
  });

  it('is written to by its own page alone', async () => {
    const { get, post, url, catalog } = await startDashboard({
      adapter,
      providers: allJobs,
      jobs: { runner: false },
      // The application answers anybody.
      before: (app) => app.enableCors({ origin: true, credentials: true }),
    });
    const enqueue = (headers: Record<string, string>) => post('jobs/enqueue', { job: 'Dig' }, headers);
    const session = await get<Session>('session');
    const { token } = session.body;
    const cookie = session.headers.get('set-cookie')!.split(';')[0]!;
    expect(session.headers.get('set-cookie')).toMatch(/^jobs-token=[\w-]{43}; HttpOnly; SameSite=Strict$/);
    const other = `jobs-token=${'x'.repeat(43)}`;
    const refused: Record<string, string>[] = [
      {},
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': 'cross-site', 'x-jobs-token': token, cookie },
      { 'x-jobs-token': token },
      { cookie },
      { 'x-jobs-token': token, cookie: other },
      { 'x-jobs-token': 'x'.repeat(43), cookie },
      { 'x-jobs-token': '', cookie: 'jobs-token=' },
    ];
    for (const headers of refused) {
      const { status, error } = await enqueue(headers);
      expect([headers, status, error.code]).toEqual([headers, 403, 'CROSS_ORIGIN']);
    }
    expect((await catalog.counts()).waiting).toBe(0);
    expect((await enqueue(sameOrigin)).status).toBe(200);
    expect((await enqueue({ 'x-jobs-token': token, cookie: `theme=dark; ${cookie}` })).status).toBe(200);
    expect((await catalog.counts()).waiting).toBe(2);

    // Another site can neither look nor get a token.
    expect((await get('overview', { 'sec-fetch-site': 'cross-site' })).error.code).toBe('CROSS_ORIGIN');
    for (const path of ['session', 'overview', 'tasks', 'jobs', 'stream'])
      expect([path, (await get(path, { origin: 'http://evil.example' })).error?.code]).toEqual([
        path,
        'CROSS_ORIGIN',
      ]);
    // A link from elsewhere leads to the page.
    expect((await fetch(url, { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(200);
  });

  it('takes JSON alone', async () => {
    const { url, catalog } = await startDashboard({ adapter, providers: allJobs, jobs: { runner: false } });
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      '',
    ]) {
      const answer = await fetch(new URL('api/v1/jobs/enqueue', url), {
        method: 'POST',
        headers: { ...sameOrigin, 'content-type': type },
        body: '{"job":"Dig"}',
      });
      expect([type, answer.status]).toEqual([type, 415]);
    }
    expect((await catalog.counts()).waiting).toBe(0);
  });

  it('says with every answer what a browser must not do', async () => {
    const { url } = await startDashboard({ adapter, providers: allJobs });
    const asset = /assets\/[\w.-]+\.js/.exec(await (await fetch(url)).text())![0];
    for (const path of ['', asset, 'none', 'api/v1/overview', 'api/v1/none', 'api/v1/stream']) {
      const stop = new AbortController();
      const { headers } = await fetch(new URL(path, url), { signal: stop.signal });
      stop.abort();
      const policy = headers.get('content-security-policy')!;
      expect(policy.split('; ')).toEqual(
        expect.arrayContaining([
          "default-src 'none'",
          "script-src 'self'",
          "style-src 'self'",
          "frame-ancestors 'none'",
          "base-uri 'none'",
        ]),
      );
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-frame-options')).toBe('DENY');
    }
  });
});

describe('Mounting a dashboard', () => {
  it('stops at options that cannot mean anything', () => {
    const odd: [object, RegExp][] = [
      [{ path: '/a b' }, /path is "\/a b"/],
      [{ path: '/jobs/:id' }, /path is/],
      [{ guards: ['admin'] }, /guards is/],
      [{ authorise: () => [] }, /authorise is/],
      [{ authorize: ['view'] }, /authorize is \["view"\], but must be a function/],
      [{ readOnly: 'yes' }, /readOnly is "yes"/],
      [{ streams: -1 }, /streams is -1/],
      [{ troubles: { oldestWaiting: 'soon' } }, /troubles.oldestWaiting is "soon"/],
      [{ troubles: { oldestWaiting: { mail: 'soon' } } }, /troubles.oldestWaiting.mail is "soon"/],
      [{ troubles: { deadPerHour: 0 } }, /troubles.deadPerHour is 0/],
    ];
    for (const [options, message] of odd) expect(() => JobsDashboardModule.forRoot(options)).toThrow(message);
  });
});
