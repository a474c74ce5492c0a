import { interleaveLongEnough, type Bench } from '../bench.js';
import { median, ownFigure, type Figure } from '../figures.js';
import { counted } from '../settings.js';
import { ours, variants } from '../system.js';
import { handleStored } from './process.js';

const concurrency = 100;

/** What a params class, an interceptor and a unique lock cost a run: ours alone, in turns with plain tasks. */
export async function measureFeatures(bench: Bench, tasks: number): Promise<Figure[]> {
  bench.say('processing with a params class, an interceptor, a unique lock');
  const samples = await interleaveLongEnough(
    bench,
    counted(bench.settings, tasks),
    (system, count) => handleStored(bench, system, concurrency, count),
    [ours, ...Object.values(variants)],
  );
  const paces = [...samples].map(([name, all]) => ({
    name: name === ours ? 'plain, in turns with these' : name,
    paces: all.map(({ count, seconds }) => count / seconds),
  }));
  const base = median(paces[0]!.paces);
  return [
    ...paces.map(({ name, paces }) =>
      ownFigure(`process, concurrency ${concurrency}, ${name}`, 'tasks/s', paces),
    ),
    ...paces.slice(1).map(({ name, paces }) =>
      ownFigure(
        `pace ${name}, to plain`,
        'share',
        paces.map((pace) => pace / base),
      ),
    ),
  ];
}
