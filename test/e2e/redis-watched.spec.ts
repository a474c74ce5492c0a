import { redisBackend } from 'nestjs-jobs/redis';
import { describeWatched } from './fixtures/watched-processes.js';

const url = process.env.TEST_REDIS_URL!;

describeWatched('redis', url, () => redisBackend({ url }));
