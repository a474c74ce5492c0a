import { parseArgs } from 'node:util';
import { checkHistory } from '../history/check-history.js';
import { toLines } from '../history/history-event.js';
import { simulate } from './simulate.js';

/** `--seeds=1000 --from=1` tries many worlds; `--seed=4711` prints the history of one. */
const { values } = parseArgs({
  options: { seeds: { type: 'string' }, from: { type: 'string' }, seed: { type: 'string' } },
});

if (values.seed !== undefined) {
  const history = await simulate(Number(values.seed));
  console.log(toLines(history));
  for (const { invariant, what, line } of checkHistory(history))
    console.error(`broken: ${invariant}: ${what}${line > 0 ? ` (line ${line})` : ''}`);
} else {
  await tryAll(Number(values.from ?? 1), Number(values.seeds ?? 1_000));
}

async function tryAll(from: number, seeds: number): Promise<void> {
  const startedAt = Date.now();
  const counts = new Map<string, number>();
  let broken = 0;
  for (let seed = from; seed < from + seeds; seed++) {
    const history = await simulate(seed);
    for (const { type } of history) counts.set(type, (counts.get(type) ?? 0) + 1);
    const [violation] = checkHistory(history);
    if (!violation) continue;
    broken++;
    console.error(`seed ${seed}: ${violation.invariant}: ${violation.what} (line ${violation.line})`);
  }
  const seconds = Math.round((Date.now() - startedAt) / 100) / 10;
  console.log(`${broken} of ${seeds} seeds from ${from} broken, in ${seconds} s; what happened in them:`);
  for (const [type, count] of counts) console.log(`  ${type}: ${count}`);
  if (broken > 0) process.exitCode = 1;
}
