/** A script that fails unless the indicator for terminus, which the package loads for nobody else, says that all is well. */
export const isUp = `void (async () => {
  await import('reflect-metadata');
  const { NestFactory } = await import('@nestjs/core');
  const { TerminusModule } = await import('@nestjs/terminus');
  const { JobsModule } = await import('nestjs-jobs');
  const { JobsHealthIndicator } = await import('nestjs-jobs/terminus');
  const imports = [JobsModule.forRoot({ backend: 'memory:', runner: { queues: ['a'] } }), TerminusModule];
  const module = { module: class {}, imports, providers: [JobsHealthIndicator] };
  const app = await NestFactory.createApplicationContext(module, { logger: false });
  const { jobs } = await app.get(JobsHealthIndicator).isHealthy('jobs', { timeout: '10s', eventLoopDelay: '10s' });
  await app.close();
  if (jobs.status !== 'up') throw new Error(JSON.stringify(jobs));
})()`;

/** A script that fails unless the dashboard gives its page, its files and its figures on both frameworks. */
export const isServed = `void (async () => {
  await import('reflect-metadata');
  const { NestFactory } = await import('@nestjs/core');
  const { ExpressAdapter } = await import('@nestjs/platform-express');
  const { FastifyAdapter } = await import('@nestjs/platform-fastify');
  const { JobsModule } = await import('nestjs-jobs');
  const { JobsDashboardModule } = await import('nestjs-jobs/dashboard');
  for (const adapter of [new ExpressAdapter(), new FastifyAdapter()]) {
    const authorize = () => ['view'];
    const imports = [JobsModule.forRoot({ backend: 'memory:' }), JobsDashboardModule.forRoot({ authorize })];
    const app = await NestFactory.create({ module: class {}, imports }, adapter, { logger: ['warn', 'error'] });
    app.setGlobalPrefix('ops');
    await app.listen(0, '127.0.0.1');
    const page = await fetch((await app.getUrl()) + '/ops/jobs');
    const [, script] = /src="([^"]+)"/.exec(await page.text());
    for (const path of [script, 'api/v1/overview', 'api/v1/openapi.json']) {
      const answer = await fetch(new URL(path, page.url));
      await answer.text();
      if (answer.status !== 200) throw new Error(path + ': ' + answer.status);
    }
    await app.close();
  }
})()`;
