import { postgresBackend } from 'nestjs-jobs/postgres';
import { describeWatched } from './fixtures/watched-processes.js';

const url = process.env.TEST_POSTGRES_URL!;

describeWatched('postgres', url, () => postgresBackend({ url }));
