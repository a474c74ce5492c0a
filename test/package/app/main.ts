import assert from 'node:assert/strict';
import { NestFactory } from '@nestjs/core';
import { AppModule, useJobs, whatHappens } from './app.js';

async function main(): Promise<void> {
  const app = await NestFactory.createApplicationContext(AppModule);
  assert.deepEqual(await useJobs(app), whatHappens);
}

// The process ends by itself if nothing is left open; the timer does not keep it.
setTimeout(() => process.exit(3), 30_000).unref();
void main();
