import { createRequire } from 'node:module';
import { workerData } from 'node:worker_threads';
import type * as Ioredis from 'ioredis';
import { RenewLoop } from '../../lease-thread/renew-loop.js';
import type { RedisThreadData } from './redis-thread-data.js';
import { Renewals } from './renewals.js';
import { threadClient } from './thread-client.js';

// The lease thread of Redis. This file and what it imports are embedded as text (`npm run embed`) and run from there.
const data = workerData as RedisThreadData;
const client = threadClient(createRequire(data.ioredis)(data.ioredis) as typeof Ioredis, data);
void new RenewLoop(data, new Renewals(client, data)).keepRenewing();
