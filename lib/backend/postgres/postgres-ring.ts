import { arrayText, fromText } from './postgres-text.js';
import type { SqlStatement } from './sql-connection.js';

/** t: for tasks, s: for schedules. */
export type Kind = 't' | 's';

/** Tells all processes that there is work; the sender needs no echo. */
export type Ring = readonly [kind: Kind, queue: string, sender: string, cancelledId?: string | null];

export function bellChannel(schema: string): string {
  return `${schema}:bell`;
}

/**
 * Rings, with a channel and a list of payloads. No function of the schema: whoever is woken by it waits for it, and a server that
 * had nothing to do takes half as long again for one. It writes nothing, so that its commit waits for no disk.
 */
export const ringing: SqlStatement = {
  name: 'ring',
  text: 'SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload',
};

export function ringValues(schema: string, rings: readonly Ring[]): string[] {
  // A list is written so that PostgreSQL takes it: what is in it must not be, too.
  return [bellChannel(schema), arrayText(rings.map((ring) => JSON.stringify(ring)))];
}

export function readRing(payload: string | undefined): Ring | undefined {
  try {
    const ring = fromText(payload ?? '');
    return Array.isArray(ring) ? (ring as unknown as Ring) : undefined;
  } catch {
    // Somebody else uses the channel.
    return undefined;
  }
}
