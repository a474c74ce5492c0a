import { createServer, request as ask } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import {
  Controller,
  Get,
  Injectable,
  ValidationPipe,
  VersioningType,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { map } from 'rxjs';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { JobsDashboardModule, openApi } from 'nestjs-jobs/dashboard';
import { allJobs } from './fixtures/dashboard-jobs.js';
import {
  describeAdapters,
  rawGet,
  sameOrigin,
  startDashboard,
  type DashboardApp,
} from './fixtures/dashboard-stage.js';

/** The page, a file of it and the API, as a browser finds them from an address. */
async function visit(address: string) {
  const page = await fetch(address);
  const html = await page.text();
  const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link!);
  const files = await Promise.all(links.map((link) => fetch(new URL(link, page.url))));
  const session = await fetch(new URL('./api/v1/session', page.url));
  return {
    url: page.url,
    links,
    statuses: [page, ...files, session].map(({ status }) => status),
    types: [page, ...files].map(({ headers }) => headers.get('content-type')),
  };
}

/** Of the page, its script, its style and its icon, and of the session. */
const allWell = [200, 200, 200, 200, 200];

const proxies: ReturnType<typeof createServer>[] = [];
afterEach(() => {
  for (const proxy of proxies.splice(0)) proxy.close();
});

/** A proxy that leads `/tools/` to the application, which knows nothing of that. */
async function behindProxy(stage: DashboardApp): Promise<string> {
  const { hostname, port } = new URL(stage.url);
  const proxy = createServer((incoming, outgoing) => {
    const path = incoming.url!.replace(/^\/tools/, '');
    const onward = ask(
      { hostname, port, path, method: incoming.method, headers: incoming.headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(outgoing);
      },
    );
    incoming.pipe(onward);
  });
  proxies.push(proxy);
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/tools`;
}

@Injectable()
class Wrapping implements NestInterceptor {
  intercept(_: ExecutionContext, next: CallHandler) {
    return next.handle().pipe(map((data) => ({ data })));
  }
}

@Controller('orders')
class OrdersController {
  @Get() all() {
    return [];
  }
}

describeAdapters('The dashboard', (adapter) => {
  it('is found with and without a slash, by relative links alone', async () => {
    const { url } = await startDashboard({ adapter, providers: allJobs });
    for (const address of [url, url.slice(0, -1), `${url.slice(0, -1)}?a=b`]) {
      const seen = await visit(address);
      expect(new URL(seen.url).pathname).toBe('/jobs/');
      expect(seen.statuses).toEqual(allWell);
      expect(seen.links.every((link) => link.startsWith('./'))).toBe(true);
      expect(seen.types[0]).toBe('text/html; charset=utf-8');
    }
    expect((await visit(`${url.slice(0, -1)}?a=b`)).url).toContain('/jobs/?a=b');
  });

  it('is found below a global prefix, with versions on, at a path of several segments', async () => {
    for (const type of [VersioningType.URI, VersioningType.HEADER] as const) {
      const { url } = await startDashboard({
        adapter,
        dashboard: { path: 'ops/jobs' },
        at: '/api/ops/jobs',
        before: (app) => {
          app.setGlobalPrefix('api');
          app.enableVersioning({ type, header: 'x-version', defaultVersion: '2' } as never);
        },
      });
      expect((await visit(url)).statuses).toEqual(allWell);
      expect((await visit(url.slice(0, -1))).statuses).toEqual(allWell);
    }
  });

  it('is found below the sub-path of a proxy, where a token and its cookie work, too', async () => {
    const stage = await startDashboard({ adapter, providers: allJobs, jobs: { runner: false } });
    const base = await behindProxy(stage);
    for (const address of [`${base}/jobs`, `${base}/jobs/`]) {
      const seen = await visit(address);
      expect(seen.url).toBe(`${base}/jobs/`);
      expect(seen.statuses).toEqual(allWell);
    }
    const session = await fetch(`${base}/jobs/api/v1/session`);
    // Without a path of its own a cookie is for the path at which the browser got it.
    expect(session.headers.get('set-cookie')).not.toMatch(/path=/i);
    const answer = await fetch(`${base}/jobs/api/v1/jobs/enqueue`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-jobs-token': ((await session.json()) as { token: string }).token,
        cookie: session.headers.get('set-cookie')!.split(';')[0]!,
      },
      body: '{"job":"Dig"}',
    });
    expect(answer.status).toBe(200);
  });

  it('gives its files compressed or not, and lets browsers keep those whose names change with them', async () => {
    const { url } = await startDashboard({ adapter });
    const html = await (await fetch(url)).text();
    const asset = new URL(/\.\/assets\/[\w.-]+\.js/.exec(html)![0], url);
    const plain = await fetch(asset, { headers: { 'accept-encoding': 'identity' } });
    const zipped = await fetch(asset, { headers: { 'accept-encoding': 'gzip' } });
    expect([plain.headers.get('content-encoding'), zipped.headers.get('content-encoding')]).toEqual([
      null,
      'gzip',
    ]);
    expect(await plain.text()).toBe(await zipped.text());
    expect(plain.headers.get('cache-control')).toBe('private, max-age=31536000, immutable');
    expect(plain.headers.get('vary')).toBe('accept-encoding');

    const page = await fetch(url);
    expect(page.headers.get('cache-control')).toBe('private, no-cache');
    const etag = page.headers.get('etag')!;
    const again = await fetch(url, { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    expect((await fetch(url, { headers: { 'if-none-match': '"another"' } })).status).toBe(200);
    const head = await fetch(url, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it('leads by no path to anything else', async () => {
    const { url } = await startDashboard({ adapter });
    const paths = [
      '/jobs/package.json',
      '/jobs/../package.json',
      '/jobs/assets/../../package.json',
      '/jobs/..%2f..%2fpackage.json',
      '/jobs/%2e%2e/%2e%2e/etc/passwd',
      '/jobs/assets/%2e%2e%2findex.html',
      '/jobs//etc/passwd',
      '/jobs/C:%5cwindows',
      '/jobs/__proto__',
      '/jobs/constructor',
      '/jobs/toString',
      '/jobs/api/v1/__proto__',
      '/jobs/api/v1/../../index.html',
      '/jobs/api/v2/overview',
      '/jobs/index.html%00',
    ];
    for (const path of paths) {
      const { status, body } = await rawGet(url, path);
      expect([path, [400, 404].includes(status)]).toEqual([path, true]);
      expect(body).not.toMatch(/<script|root:|nestjs-jobs"/);
    }
    const { error } = JSON.parse((await rawGet(url, '/jobs/none')).body);
    expect(error).toEqual({ code: 'NOT_FOUND', message: 'there is no such file or route in the dashboard' });
  });

  it('answers as ever in an application that wraps its answers, checks its inputs and reads no bodies', async () => {
    const { get, post } = await startDashboard({
      adapter,
      providers: allJobs,
      jobs: { runner: false },
      bodyParser: adapter === 'express' ? false : undefined,
      before: (app) => {
        app.useGlobalInterceptors(new Wrapping());
        app.useGlobalPipes(
          new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true, transform: true }),
        );
      },
    });
    expect((await get('tasks?limit=1')).body).toEqual({ tasks: [], isComplete: true });
    expect((await post('jobs/enqueue', { job: 'Dig', options: { id: 'a' } })).body).toEqual({
      queue: 'slow',
      id: 'a',
      status: 'enqueued',
    });
    expect((await post('jobs/enqueue', '{"job":')).status).toBe(400);
  });

  it('takes its settings from a factory as well', async () => {
    const module = JobsDashboardModule.forRootAsync({
      path: '/ops',
      useFactory: async () => ({ title: 'Works', authorize: () => ['view' as const] }),
    });
    const { get } = await startDashboard({ adapter, module: [module], at: '/ops' });
    expect((await get('session')).body).toMatchObject({ title: 'Works', roles: ['view'] });
  });

  it('adds its API to a document of @nestjs/swagger, which knows nothing of it otherwise', async () => {
    const { app } = await startDashboard({ adapter, controllers: [OrdersController] });
    const document = SwaggerModule.createDocument(app, new DocumentBuilder().build());
    expect(Object.keys(document.paths)).toEqual(['/orders']);
    const part = openApi({ path: '/jobs' });
    Object.assign(document.paths, part.paths);
    document.components = {
      ...document.components,
      schemas: { ...document.components?.schemas, ...part.components.schemas } as never,
    };
    const references = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(
      ([, name]) => name!,
    );
    expect(references.filter((name) => !Object.hasOwn(document.components!.schemas!, name))).toEqual([]);
    // What it tells is what there is.
    for (const [path, methods] of Object.entries(part.paths)) {
      const name = path.slice('/jobs/api/v1/'.length);
      const right = Object.keys(methods)[0]!.toUpperCase();
      const wrong = await fetch(new URL(path, await app.getUrl()), {
        method: right === 'GET' ? 'DELETE' : 'GET',
        headers: sameOrigin,
      });
      expect([name, wrong.status]).toEqual([name, 405]);
      expect(wrong.headers.get('allow')).toContain(right);
      await wrong.text();
    }
  });

  it('describes its API where whoever reads that finds it', async () => {
    const { url } = await startDashboard({ adapter, controllers: [OrdersController] });
    const address = new URL('api/v1/openapi.json', url);
    const { openapi, servers, paths } = (await (await fetch(address)).json()) as any;
    expect(openapi).toBe('3.0.3');
    // A path is put behind the address of the server, which is relative to that of the document.
    const base = new URL(servers[0].url, address).href;
    expect(Object.keys(paths).length).toBeGreaterThan(10);
    for (const [path, methods] of Object.entries<object>(paths)) {
      const right = Object.keys(methods)[0]!.toUpperCase();
      const wrong = await fetch(base + path, {
        method: right === 'GET' ? 'DELETE' : 'GET',
        headers: sameOrigin,
      });
      expect([path, wrong.status, wrong.headers.get('allow')]).toEqual([
        path,
        405,
        expect.stringContaining(right),
      ]);
      await wrong.text();
    }
  });
});
