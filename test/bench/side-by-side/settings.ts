/** What to measure, and how much of it. */
export interface Settings {
  readonly only: readonly string[];
  readonly systems: readonly string[];
  readonly rounds: number;
  readonly json: boolean;
  readonly quick: boolean;
  /** Shortens what is counted in tasks or seconds, for the quick form. */
  readonly share: number;
}

/** What a benchmark has to choose from. */
export interface Choice {
  readonly command: string;
  readonly measures: readonly string[];
  readonly systems: readonly string[];
}

const usage = ({ command, measures, systems }: Choice) => `
npm run ${command} -- [options]

  --only=${measures.slice(0, 2).join(',')}   some of ${measures.join(', ')}
  --systems=${systems.slice(0, 2).join(',')}   some of ${systems.join(', ')}
  --rounds=5               rounds of each measure
  --quick                  one short round of everything: a hint, no figure to quote
  --json                   the figures as JSON instead of tables
`;

export function readSettings(args: readonly string[], choice: Choice): Settings {
  let [only, systems] = [choice.measures, choice.systems];
  let [rounds, json, quick] = [5, false, false];
  let areRoundsGiven = false;
  for (const arg of args) {
    const [name, value = ''] = arg.split('=');
    const some = value.split(',');
    if (name === '--json') json = true;
    else if (name === '--quick') quick = true;
    else if (name === '--rounds' && Number.isInteger(Number(value)) && Number(value) > 0) {
      rounds = Number(value);
      areRoundsGiven = true;
    } else if (name === '--only' && some.every((measure) => choice.measures.includes(measure))) only = some;
    else if (name === '--systems' && some.every((system) => choice.systems.includes(system))) systems = some;
    else throw new Error(`${arg} is no option${usage(choice)}`);
  }
  if (quick && !areRoundsGiven) rounds = 1;
  return { only, systems, rounds, json, quick, share: quick ? 0.4 : 1 };
}
