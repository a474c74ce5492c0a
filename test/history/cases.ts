import type { InvariantName } from './check-history.js';
import type { Told } from './told.js';

/** Histories that keep an invariant, and ones that break it and nothing else. */
export type CasesOf<Name extends InvariantName> = Readonly<
  Record<Name, { readonly kept: Record<string, Told[]>; readonly broken: Record<string, Told[]> }>
>;
