// The benchmark on Redis alone: `npm run bench:redis`, see ../README.md.
import { startBench } from '../start.mjs';

await startBench(['--store=redis', ...process.argv.slice(2)]);
