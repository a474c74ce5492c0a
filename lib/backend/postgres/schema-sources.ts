import { createHash } from 'node:crypto';
import { version } from '../../task/version.js';
import { functionSources, migrationSources } from './sql-sources.js';

/** What a schema is made from. */
export interface SchemaSources {
  /** Of the package: functions of a newer one are left as they are. */
  readonly version: string;
  readonly migrations: readonly { readonly name: string; readonly up: string; readonly down: string }[];
  readonly functions: readonly string[];
}

export const ourSources: SchemaSources = {
  version,
  migrations: migrationSources,
  functions: functionSources,
};

/** Tells functions from others of the same names. */
export function revisionOf({ functions }: SchemaSources): string {
  return shortHash(functions.join('\n'));
}

/**
 * The functions by name, each with what tells its name, arguments and result from others: where those change, a function
 * cannot be replaced but must be made anew.
 */
export function headsOf({ functions }: SchemaSources): Record<string, string> {
  const heads = functions.flatMap((source) =>
    Array.from(
      source.matchAll(/^CREATE OR REPLACE FUNCTION (\w+)([\s\S]*?)\bAS \$\$/gm),
      ([, name, head]) => [name!, shortHash(head!)],
    ),
  );
  return Object.fromEntries(heads) as Record<string, string>;
}

/** Whether a version of the package comes before another. */
export function isOlder(one: string, other: string): boolean {
  const [first, second] = [numbersOf(one), numbersOf(other)];
  const at = first.findIndex((part, index) => part !== second[index]);
  if (at >= 0) return first[at]! < second[at]!;
  const [early, late] = [one, other].map((text) => text.split('-').slice(1).join('-')) as [string, string];
  // What comes before a release has a name behind the numbers.
  if (early === '' || late === '') return early !== '' && late === '';
  return early.localeCompare(late, 'en', { numeric: true }) < 0;
}

function numbersOf(version: string): number[] {
  const [major = 0, minor = 0, patch = 0] = version.split('-')[0]!.split('.').map(Number);
  return [major, minor, patch];
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
