import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { Trials } from './trials.js';

const app = await NestFactory.createApplicationContext(AppModule);
app.enableShutdownHooks();
await app.get(Trials).begin('ada@example.com');
console.log(
  'ada@example.com tries it; in two weeks you will see the end. The tests need not wait: trials.spec.ts.',
);
