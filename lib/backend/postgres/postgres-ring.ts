import { arrayText, fromText, plainText } from './postgres-text.js';
import type { SqlStatement } from './sql-connection.js';

/** t: for tasks, s: for schedules. */
export type Kind = 't' | 's';

/** Tells all processes that there is work; the sender needs no echo. */
export type Ring = readonly [kind: Kind, queue: string, sender: string, cancelledId?: string | null];

export function bellChannel(schema: string): string {
  return `${schema}:bell`;
}

/**
 * What rings for these. No function of the schema: whoever is woken by it waits for it, and a server that had nothing to do takes
 * half as long again for one, and for a list where there is but one. It writes nothing, so that its commit waits for no disk.
 */
export function ringing(
  schema: string,
  rings: readonly Ring[],
): { readonly statement: SqlStatement; readonly values: string[] } {
  const payloads = rings.map((ring) => JSON.stringify(ring));
  const channel = bellChannel(schema);
  if (payloads.length === 1) return { statement: one, values: [channel, plainText(payloads[0]!)] };
  // A list is written so that PostgreSQL takes it: what is in it must not be, too.
  return { statement: many, values: [channel, arrayText(payloads)] };
}

const one: SqlStatement = { name: 'ring', text: 'SELECT pg_notify($1, $2)' };
const many: SqlStatement = {
  name: 'ring_all',
  text: 'SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload',
};

export function readRing(payload: string | undefined): Ring | undefined {
  try {
    const ring = fromText(payload ?? '');
    return Array.isArray(ring) ? (ring as unknown as Ring) : undefined;
  } catch {
    // Somebody else uses the channel.
    return undefined;
  }
}
