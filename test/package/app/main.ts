import assert from 'node:assert/strict';
import { NestFactory } from '@nestjs/core';
import { AppModule, useJobs, whatHappens } from './app.js';
import { whatIsMissing } from './postgres.js';
import { backend, isLeaseRenewed, RedisModule } from './redis.js';

async function main(): Promise<void> {
  const app = await NestFactory.createApplicationContext(AppModule);
  assert.deepEqual(await useJobs(app), whatHappens);
  const onRedis = await NestFactory.createApplicationContext(RedisModule);
  assert.notEqual(backend.durability, undefined);
  assert(await isLeaseRenewed(onRedis), 'the lease thread does not renew');
  assert.deepEqual(await whatIsMissing(), ['npm install @electric-sql/pglite', 'npm install pg']);
}

// The process ends by itself if nothing is left open; the timer does not keep it.
setTimeout(() => process.exit(3), 60_000).unref();
void main();
