import type { Form } from './side-by-side/settings.js';
import type { BenchStore, StoreName } from './store.js';

/** What a call asks for. */
export interface Options {
  readonly stores: readonly StoreName[];
  readonly only: readonly string[];
  readonly systems: readonly string[];
  readonly rounds: number;
  readonly form: Form;
  readonly isJson: boolean;
  /** Whether the result is kept, and README and charts are written anew from all that is kept. */
  readonly isToWrite: boolean;
  /** Whether to write README and charts anew, and measure nothing. */
  readonly isToDraw: boolean;
}

const usage = (stores: readonly BenchStore[]) => `
npm run bench -- [options]

  --store=redis,postgres   some of ${stores.map(({ name }) => name).join(', ')}
  --only=process,enqueue   some of the measures
${stores.map(({ name, measures }) => `                             ${name}: ${measures.join(', ')}`).join('\n')}
  --systems=nestjs-jobs    some of the libraries, where they are measured
${stores.map(({ name, systems }) => `                             ${name}: ${systems.join(', ')}`).join('\n')}
  --rounds=5               rounds of each measure
  --quick                  one short round of everything: a hint, no figure to quote
  --tiny                   one round of next to nothing: shows that everything runs
  --json                   the figures as JSON instead of tables
  --write                  keeps the figures in docs/bench, and writes charts and the README's tables anew
  --draw                   writes them anew from what is kept, and measures nothing
`;

export function readOptions(args: readonly string[], stores: readonly BenchStore[]): Options {
  const names = stores.map(({ name }) => name);
  const measures = new Set(stores.flatMap(({ measures }) => measures));
  const systems = new Set(stores.flatMap(({ systems }) => systems));
  const options = {
    stores: names,
    only: [...measures],
    systems: [...systems],
    rounds: 0,
    form: 'full' as Form,
    isJson: false,
    isToWrite: false,
    isToDraw: false,
  };
  for (const arg of args) {
    const [name, value = ''] = arg.split('=');
    const some = value.split(',');
    if (name === '--json') options.isJson = true;
    else if (name === '--write') options.isToWrite = true;
    else if (name === '--draw') options.isToDraw = true;
    else if (name === '--quick' || name === '--tiny') options.form = name.slice(2) as Form;
    else if (name === '--rounds' && Number.isInteger(Number(value)) && Number(value) > 0)
      options.rounds = Number(value);
    else if (name === '--store' && some.every((store) => names.includes(store as StoreName)))
      options.stores = some as StoreName[];
    else if (name === '--only' && some.every((measure) => measures.has(measure))) options.only = some;
    else if (name === '--systems' && some.every((system) => systems.has(system))) options.systems = some;
    else throw new Error(`${arg} is no option${usage(stores)}`);
  }
  if (options.isToWrite && options.form !== 'full')
    throw new Error(`--write keeps figures to be quoted: those of --${options.form} are not`);
  return { ...options, rounds: options.rounds || (options.form === 'full' ? 5 : 1) };
}
