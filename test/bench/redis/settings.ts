/** What to measure, and how much of it. */
export interface Settings {
  readonly only: readonly MeasureName[];
  readonly rounds: number;
  readonly json: boolean;
  readonly quick: boolean;
  /** Shortens what is counted in tasks or seconds, for the quick form. */
  readonly share: number;
}

export const measureNames = [
  'process',
  'enqueue',
  'unique',
  'latency',
  'due',
  'memory',
  'commands',
  'idle',
  'flat',
] as const;
export type MeasureName = (typeof measureNames)[number];

const usage = `
npm run bench:redis -- [options]

  --only=process,enqueue   some of ${measureNames.join(', ')}
  --rounds=5               rounds of each measure
  --quick                  one short round of everything, in under two minutes: a hint, no figure to quote
  --json                   the figures as JSON instead of tables
`;

export function readSettings(args: readonly string[]): Settings {
  let [only, rounds, json, quick] = [measureNames as readonly MeasureName[], 5, false, false];
  let areRoundsGiven = false;
  for (const arg of args) {
    const [name, value = ''] = arg.split('=');
    if (name === '--json') json = true;
    else if (name === '--quick') quick = true;
    else if (name === '--rounds' && Number.isInteger(Number(value)) && Number(value) > 0) {
      rounds = Number(value);
      areRoundsGiven = true;
    } else if (name === '--only' && value.split(',').every(isMeasure))
      only = value.split(',') as MeasureName[];
    else throw new Error(`${arg} is no option${usage}`);
  }
  if (quick && !areRoundsGiven) rounds = 1;
  return { only, rounds, json, quick, share: quick ? 0.4 : 1 };
}

function isMeasure(name: string): boolean {
  return (measureNames as readonly string[]).includes(name);
}
