import { beside, newSchema, postgresUrl } from './fixtures/postgres-stage.js';
import { describeProcessContest } from './fixtures/process-contest.js';

describeProcessContest(
  'PostgreSQL',
  postgresUrl,
  async () => {
    const prefix = await newSchema();
    const lockEntries = async (queue: string) => {
      const held = `SELECT id, held_key FROM "${prefix}".tasks WHERE queue = $1 AND held_key IS NOT NULL`;
      return (await beside().query(held, [queue])).rows;
    };
    return { prefix, lockEntries };
  },
  'before it waits',
);
