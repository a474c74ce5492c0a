import { createRequire } from 'node:module';
import { workerData } from 'node:worker_threads';
import type * as Pg from 'pg';
import { RenewLoop } from '../../lease-thread/renew-loop.js';
import type { PostgresThreadData } from './postgres-thread-data.js';
import { Renewals } from './renewals.js';
import { ThreadConnection } from './thread-connection.js';

// The lease thread of PostgreSQL. This file and what it imports are embedded as text (`npm run embed`) and run from there.
const data = workerData as PostgresThreadData;
// The client by libpq has no socket that could be given up; the environment is this thread's own.
delete process.env.NODE_PG_FORCE_NATIVE;
const connection = new ThreadConnection(createRequire(data.pg)(data.pg) as typeof Pg, data);
void new RenewLoop(data, new Renewals(connection, data)).keepRenewing();
