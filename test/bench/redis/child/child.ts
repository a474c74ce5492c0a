/** A process of one library for one piece of work, so that heaps and compiled code do not mix. Started by `ask.ts`. */
import type { System, SystemName } from '../system.js';
import { works, type Line } from './works.js';

const [systemName, workName, argsText] = process.argv.slice(2) as [SystemName, keyof typeof works, string];

const line: Line = {
  ready: () => void process.send!({ type: 'ready' }),
  enough: new Promise((resolve) => process.once('message', () => resolve())),
};
// Whoever started us is gone: nobody waits for the answer.
process.once('disconnect', () => process.exit(1));

type Work = (system: System, args: unknown, line: Line) => Promise<unknown>;
const value = await (works[workName] as Work)(await load(systemName), JSON.parse(argsText), line);
process.send!({ type: 'answer', value }, () => process.exit(0));

async function load(name: SystemName): Promise<System> {
  switch (name) {
    case 'nestjs-jobs':
      return (await import('./nestjs-jobs.js')).nestjsJobs;
    case 'bullmq':
      return (await import('./bullmq.js')).bullmq;
    case 'bee-queue':
      return (await import('./bee-queue.js')).beeQueue;
  }
}
