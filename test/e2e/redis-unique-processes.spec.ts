import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Job } from 'nestjs-jobs';
import { startApp } from '../support/app.js';
import { makeOwnBuild } from '../support/own-build.js';
import { adminOf } from '../support/own-redis.js';
import { contendedJob } from './fixtures/contended-job.mjs';
import { ContendedProcesses } from './fixtures/contended-processes.js';
import { overlaps } from './fixtures/contention.js';
import { KeyLedger } from './fixtures/key-ledger.js';
import { newPrefix } from './fixtures/redis-jobs.js';
import { holdUniqueContest, production } from './fixtures/unique-contest.js';

const url = process.env.TEST_REDIS_URL!;
const queue = 'contended';

let own: Awaited<ReturnType<typeof makeOwnBuild>>;
let crowd: ContendedProcesses | undefined;
beforeAll(async () => {
  own = await makeOwnBuild();
}, 120_000);
afterEach(() => crowd?.killAll());
afterAll(() => own.remove());

describe('Sixty-four producers in four processes, over a hundred keys on one Redis, while runners are killed', () => {
  it('never have two live tasks of a key, and leave no lock', async () => {
    const prefix = newPrefix();
    const ledger = new KeyLedger();
    const job = contendedJob(Job, { queue, ledger });
    const app = await startApp({ options: { backend: url, prefix, runner: false }, realTime: true });
    crowd = new ContendedProcesses(ledger, {
      ...{ build: own.directory, backend: url, prefix, queue, production, processes: 4 },
    });
    const admin = adminOf(url);
    const lockEntries = async () => Object.entries(await admin.hgetall(`${prefix}:{${queue}}:locks`));
    const ended = await holdUniqueContest({
      ...{ crowd, ledger, app, job, queue, lockEntries, killEveryMs: 800 },
    });
    expect(crowd.failed).toEqual([]);
    expect(overlaps(ended)).toEqual([]);
  }, 1_800_000);
});
