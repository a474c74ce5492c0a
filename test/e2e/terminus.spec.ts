import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module, type INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { HealthCheck, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { Job, JobRunner, JobsModule, type JobsOptions } from 'nestjs-jobs';
import { redisBackend } from 'nestjs-jobs/redis';
import { JobsHealthIndicator } from 'nestjs-jobs/terminus';
import { eventually } from '../support/app.js';
import { ownRedis } from '../support/own-redis.js';

const patient = { timeout: '5s', eventLoopDelay: '10s' };

@Controller()
class HealthController {
  constructor(
    private readonly checks: HealthCheckService,
    private readonly jobs: JobsHealthIndicator,
  ) {}

  @Get('health')
  @HealthCheck()
  health() {
    return this.checks.check([() => this.jobs.isHealthy('jobs', { ...patient, oldestWaiting: '5m' })]);
  }

  @Get('ready')
  @HealthCheck()
  ready() {
    return this.checks.check([() => this.jobs.isReady('jobs', patient)]);
  }

  @Get('alive')
  @HealthCheck()
  alive() {
    return this.checks.check([() => this.jobs.isAlive('jobs', patient)]);
  }
}

@Job({ name: 'Send', queue: 'mail' })
class Send {
  run(): void {}
}

let app: INestApplication | undefined;
afterEach(() => app?.close());

async function serve(options: JobsOptions): Promise<(path: string) => Promise<[number, Answer]>> {
  @Module({
    imports: [JobsModule.forRoot(options), TerminusModule.forRoot({ logger: false })],
    controllers: [HealthController],
    providers: [Send, JobsHealthIndicator],
  })
  class AppModule {}
  app = await NestFactory.create(AppModule, { logger: false });
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  return (path) => get(port, path);
}

interface Answer {
  readonly details: { readonly jobs: Record<string, unknown> };
}

function get(port: number, path: string): Promise<[number, Answer]> {
  return new Promise((resolve, reject) => {
    const asked = request({ port, path, agent: false }, (response) => {
      let text = '';
      response.on('data', (data) => (text += String(data)));
      response.on('end', () => resolve([response.statusCode!, JSON.parse(text) as Answer]));
    });
    asked.on('error', reject).end();
  });
}

describe('The indicator for terminus', () => {
  it('answers 200 with what it found', async () => {
    const ask = await serve({ backend: 'memory:' });
    for (const path of ['/health', '/ready', '/alive']) {
      const [status, { details }] = await ask(path);
      expect(status).toBe(200);
      expect(details.jobs).toMatchObject({
        status: 'up',
        problems: [],
        backend: { name: 'memory', isReachable: true },
        runner: { state: 'running', running: 0 },
        queues: [{ queue: 'mail', waiting: 0 }],
      });
    }
  });

  it('answers 503 to health and readiness, and 200 to liveness, while the store is away', async () => {
    const server = await ownRedis();
    const ask = await serve({
      backend: redisBackend({ url: server.url }),
      runner: { pollInterval: '100ms' },
    });
    expect((await ask('/ready'))[0]).toBe(200);
    await server.kill('SIGKILL');
    await eventually(async () => (await ask('/ready'))[0] === 503);
    const [status, { details }] = await ask('/health');
    expect(status).toBe(503);
    expect(details.jobs).toMatchObject({ status: 'down', backend: { isReachable: false } });
    expect(details.jobs.problems).toContainEqual(expect.stringContaining('does not answer'));
    expect((await ask('/alive'))[0]).toBe(200);
    await server.restart();
    await eventually(async () => (await ask('/health'))[0] === 200);
  });

  it('answers 503 to readiness after a drain has begun', async () => {
    const ask = await serve({ backend: 'memory:' });
    await app!.get(JobRunner).close();
    expect((await ask('/ready'))[0]).toBe(503);
    expect((await ask('/alive'))[0]).toBe(200);
  });
});
