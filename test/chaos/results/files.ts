import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { merge, type Result } from './result.js';
import { tablesOf } from './tables.js';

const forms = ['middle', 'long'] as const;
const [open, close] = ['<!-- chaos -->', '<!-- /chaos -->'];

/** What the project quotes of its fault rounds, and the part of the README that is made of it. */
export class ResultFiles {
  constructor(private readonly root = process.cwd()) {}

  read(form: Result['form']): Result {
    const file = this.path(form);
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Result) : { form, rows: [] };
  }

  /** Keeps what was played in the place of older rounds of the same faults, and writes the README anew. */
  keep(made: Result, order: readonly { fault: string; backend: string }[]): void {
    mkdirSync(join(this.root, 'docs/chaos'), { recursive: true });
    writeFileSync(
      this.path(made.form),
      `${JSON.stringify(merge(this.read(made.form), made, order), null, 2)}\n`,
    );
    const readme = join(this.root, 'README.md');
    writeFileSync(readme, withBlock(readFileSync(readme, 'utf8'), this.block()));
  }

  /** What the README is to say between its marks. */
  block(): string {
    return forms
      .map((form) => this.read(form))
      .filter(({ rows }) => rows.length > 0)
      .map(tablesOf)
      .join('\n\n');
  }

  private path(form: Result['form']): string {
    return join(this.root, 'docs/chaos', `${form}.json`);
  }
}

/** What stands between the marks. */
export function blockOf(readme: string): string {
  const [from, to] = placeOf(readme);
  return readme.slice(from, to).trim();
}

export function withBlock(readme: string, block: string): string {
  const [from, to] = placeOf(readme);
  return `${readme.slice(0, from)}\n\n${block}\n\n${readme.slice(to)}`;
}

function placeOf(readme: string): [from: number, to: number] {
  const [from, to] = [readme.indexOf(open), readme.indexOf(close)];
  if (from < 0 || to < from) throw new Error(`the README has no ${open} with a ${close} after it`);
  return [from + open.length, to];
}
