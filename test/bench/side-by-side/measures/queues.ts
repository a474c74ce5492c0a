import { interleaveLongEnough, type Bench } from '../bench.js';
import { figureOf, type Figure } from '../figures.js';
import { counted, lasting } from '../settings.js';
import { handleStored } from './process.js';

const concurrency = 100;

/** The tasks are spread over many queues, all of which one process handles. */
export async function measureQueues(bench: Bench, tasks: number): Promise<Figure[]> {
  const number = lasting(bench.settings, { full: 50, quick: 50, tiny: 3 });
  bench.say(`processing of ${number} queues`);
  const queues = Array.from({ length: number }, (_, index) => `bench-${index}`);
  const samples = await interleaveLongEnough(bench, counted(bench.settings, tasks), (system, count) =>
    handleStored(bench, system, concurrency, count, queues),
  );
  return [
    figureOf(
      `process, concurrency ${concurrency}, ${number} queues`,
      'tasks/s',
      samples,
      ({ count, seconds }) => count / seconds,
    ),
  ];
}
