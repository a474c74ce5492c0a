import { adminOf } from '../support/own-redis.js';
import { describeProcessContest } from './fixtures/process-contest.js';
import { newPrefix } from './fixtures/redis-jobs.js';

const url = process.env.TEST_REDIS_URL!;

describeProcessContest(
  'Redis',
  url,
  async () => {
    const prefix = newPrefix();
    const admin = adminOf(url);
    const lockEntries = async (queue: string) =>
      Object.entries(await admin.hgetall(`${prefix}:{${queue}}:locks`));
    return { prefix, lockEntries };
  },
  'as it writes',
);
