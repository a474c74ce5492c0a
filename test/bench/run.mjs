// All benchmarks in turn, and one report: `npm run bench`, see README.md.
import { startBench } from './start.mjs';

await startBench(process.argv.slice(2));
