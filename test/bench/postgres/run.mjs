// The benchmark on PostgreSQL alone: `npm run bench:postgres`, see ../README.md.
import { startBench } from '../start.mjs';

await startBench(['--store=postgres', ...process.argv.slice(2)]);
