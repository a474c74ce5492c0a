import { memoryStore } from './memory/memory-store.js';
import { readOptions, type Options } from './options.js';
import { postgresStore } from './postgres/postgres-store.js';
import { redisStore } from './redis/redis-store.js';
import { ResultFiles } from './results/files.js';
import { merge, type Result } from './results/result.js';
import { printResult } from './results/report.js';
import type { BenchStore, Tools } from './store.js';

export const stores: readonly BenchStore[] = [memoryStore, redisStore, postgresStore];

/** Measures on each store that was asked for, in turn, and prints one report of all. */
export async function runStores(args: readonly string[], tools: Tools): Promise<void> {
  const options = readOptions(args, stores);
  const chosen = stores.filter(({ name }) => options.stores.includes(name));
  const files = new ResultFiles();
  if (options.isToDraw) {
    for (const { name } of chosen) files.draw(name);
    return;
  }
  const results: Result[] = [];
  for (const store of chosen) results.push(await runStore(store, options, tools, files));
  if (options.isJson) console.log(JSON.stringify(results, undefined, 2));
  else for (const result of results) printResult(result);
}

async function runStore(
  store: BenchStore,
  { only, systems, rounds, form, isToWrite }: Options,
  tools: Tools,
  files: ResultFiles,
): Promise<Result> {
  const settings = {
    only: store.measures.filter((measure) => only.includes(measure)),
    systems: store.systems.filter((system) => systems.includes(system)),
    rounds,
    form,
  };
  let result: Result = { store: store.name, measures: {} };
  if (settings.only.length === 0 || settings.systems.length === 0) return result;
  await store.run(settings, tools, (measured) => {
    result = merge(result, [measured], store.measures);
    // At once: what was measured is not lost where a later measure fails.
    if (isToWrite) files.keep(store.name, [measured], store.measures);
  });
  return result;
}
