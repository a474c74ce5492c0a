import { describeSharing } from './fixtures/sharing-processes.js';

describeSharing('Redis', process.env.TEST_REDIS_URL!, [10, 64]);
