import assert from 'node:assert/strict';
import { runsInProcess } from './postgres.js';

// The process ends by itself if nothing is left open; the timer does not keep it.
setTimeout(() => process.exit(3), 60_000).unref();
void runsInProcess().then((isRun) => assert(isRun, 'the task was not run'));
