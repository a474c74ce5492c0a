import { setTimeout as pause } from 'node:timers/promises';
import { CollisionError } from './postgres-refusal.js';
import { fromText, toText } from './postgres-text.js';
import { quoted, type SqlConnection } from './sql-connection.js';

/** How long a statement may take before its connection is taken for dead. */
export const deadlineMs = 5_000;

const mostTries = 5;

/** The functions of the schema: each call is one statement, and so one step. */
export class PostgresFunctions {
  constructor(
    private readonly connection: SqlConnection,
    private readonly schema: string,
  ) {}

  /** Two transactions that were in each other's way are no news to whoever asked: the one that gave way goes again. */
  async call(name: string, argument: unknown, withinMs = deadlineMs): Promise<unknown> {
    const text = toText(argument);
    for (let tries = 1; ; tries++) {
      try {
        const [row] = await this.connection.query(callOf(this.schema, name), [text], withinMs);
        return answerOf(row);
      } catch (error) {
        if (!(error instanceof CollisionError) || tries === mostTries) throw error;
        await pause(Math.random() * 10 * tries);
      }
    }
  }
}

/** The statement that calls a function with one text. */
export function callOf(schema: string, name: string): string {
  return `SELECT ${quoted(schema)}.${name}($1) AS answer`;
}

/** What it answered, if anything. */
export function answerOf(row: { readonly [column: string]: unknown } | undefined): unknown {
  const answer = row?.answer;
  return typeof answer === 'string' && answer !== '' ? fromText(answer) : undefined;
}
