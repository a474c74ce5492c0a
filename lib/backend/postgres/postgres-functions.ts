import { setTimeout as pause } from 'node:timers/promises';
import { mayPassNow } from './postgres-refusal.js';
import { fromText, toText } from './postgres-text.js';
import { quoted, type Row, type SqlConnection, type SqlSequel, type SqlStatement } from './sql-connection.js';

/** How long a statement may take before its connection is taken for dead. */
export const deadlineMs = 5_000;

const mostTries = 5;

/** What is asked for right behind a function, on its connection. */
export interface Sequel {
  /** A function, by its name, or a statement. */
  readonly statement: string | SqlStatement;
  texts(): readonly string[];
  /** It is not called a second time where the first is tried again. */
  readonly isOnce: boolean;
  answered(row: Row | undefined): void;
  /** It was refused, or nobody knows whether it was called; the error says which. */
  failed(error: Error): void;
}

/** The functions of the schema: each call is one statement, and so one step. */
export class PostgresFunctions {
  private readonly statements = new Map<string, SqlStatement & { readonly texts: number }>();

  constructor(
    private readonly connection: SqlConnection,
    private readonly schema: string,
  ) {}

  /** Calls a function that is asked and answers in JSON. */
  async call(name: string, argument: unknown, withinMs = deadlineMs, sequel?: Sequel): Promise<unknown> {
    return answerOf(await this.ask(name, [toText(argument)], withinMs, sequel));
  }

  /** Two transactions that were in each other's way are no news to whoever asked: the one that gave way goes again. */
  async ask(
    name: string,
    texts: readonly string[],
    withinMs = deadlineMs,
    sequel?: Sequel,
  ): Promise<Row | undefined> {
    const statement = this.statement(name, texts.length);
    let behind = sequel && this.behind(sequel);
    const until = performance.now() + withinMs;
    for (let tries = 1, leftMs = withinMs; ; tries++, leftMs = until - performance.now()) {
      try {
        const [row] = await this.connection.query(statement, texts, leftMs, behind);
        return row;
      } catch (error) {
        const pauseMs = Math.random() * 10 * tries;
        const isLast = tries === mostTries || performance.now() + pauseMs >= until;
        if (!mayPassNow(error) || isLast) throw error;
        if (sequel?.isOnce) behind = undefined;
        await pause(pauseMs);
      }
    }
  }

  private behind(sequel: Sequel): SqlSequel {
    return {
      written: () => {
        const values = sequel.texts();
        const { statement } = sequel;
        return {
          statement: typeof statement === 'string' ? this.statement(statement, values.length) : statement,
          values,
        };
      },
      answered: ([row]) => sequel.answered(row),
      failed: (error) => sequel.failed(error),
    };
  }

  /** Made once: on the way of tasks each is asked for thousands of times a second. */
  private statement(name: string, texts: number): SqlStatement {
    const known = this.statements.get(name);
    if (known?.texts === texts) return known;
    const made = { name, text: callOf(this.schema, name, texts), texts };
    this.statements.set(name, made);
    return made;
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
