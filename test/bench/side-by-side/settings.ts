/** What to measure, and how much of it. */
export interface Settings {
  readonly only: readonly string[];
  readonly systems: readonly string[];
  readonly rounds: number;
  readonly form: Form;
}

/** `full` is to be quoted, `quick` is a hint, and `tiny` shows that everything runs: its figures mean nothing. */
export type Form = 'full' | 'quick' | 'tiny';

const countedShares = { full: 1, quick: 0.4, tiny: 0.01 } as const;

/** How many tasks count, of as many as the full form has. */
export function counted({ form }: Settings, tasks: number): number {
  return Math.ceil(tasks * countedShares[form]);
}

/** What also the quick form does not shorten: warming up, stores of a certain size. */
export function fixed({ form }: Settings, tasks: number): number {
  return form === 'tiny' ? Math.ceil(tasks / 100) : tasks;
}

/** Seconds or milliseconds of each form. */
export function lasting({ form }: Settings, times: Readonly<Record<Form, number>>): number {
  return times[form];
}
