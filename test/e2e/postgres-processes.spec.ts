import { describeSharing } from './fixtures/sharing-processes.js';

describeSharing('PostgreSQL', process.env.TEST_POSTGRES_URL!, [20]);
