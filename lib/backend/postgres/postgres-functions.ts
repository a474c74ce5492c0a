import { setTimeout as pause } from 'node:timers/promises';
import { CollisionError } from './postgres-refusal.js';
import { fromText, toText } from './postgres-text.js';
import { quoted, type Row, type SqlConnection } from './sql-connection.js';

/** How long a statement may take before its connection is taken for dead. */
export const deadlineMs = 5_000;

const mostTries = 5;

/** The functions of the schema: each call is one statement, and so one step. */
export class PostgresFunctions {
  constructor(
    private readonly connection: SqlConnection,
    private readonly schema: string,
  ) {}

  /** Calls a function that is asked and answers in JSON. */
  async call(name: string, argument: unknown, withinMs = deadlineMs): Promise<unknown> {
    return answerOf(await this.ask(name, [toText(argument)], withinMs));
  }

  /** Two transactions that were in each other's way are no news to whoever asked: the one that gave way goes again. */
  async ask(name: string, texts: readonly string[], withinMs = deadlineMs): Promise<Row | undefined> {
    const statement = { name, text: callOf(this.schema, name, texts.length) };
    for (let tries = 1; ; tries++) {
      try {
        const [row] = await this.connection.query(statement, texts, withinMs);
        return row;
      } catch (error) {
        if (!(error instanceof CollisionError) || tries === mostTries) throw error;
        await pause(Math.random() * 10 * tries);
      }
    }
  }
}

/** The statement that calls a function with so many texts. */
export function callOf(schema: string, name: string, texts = 1): string {
  const places = Array.from({ length: texts }, (_, at) => `$${at + 1}`);
  return `SELECT ${quoted(schema)}.${name}(${places.join()}) AS answer`;
}

/** What it answered, if anything. */
export function answerOf(row: Row | undefined): unknown {
  const answer = row?.answer;
  return typeof answer === 'string' && answer !== '' ? fromText(answer) : undefined;
}
