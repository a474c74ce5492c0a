import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Measured, StoreName } from '../store.js';
import { chartOf } from './chart.js';
import { readmeBlock } from './readme-tables.js';
import { merge, written, type Result } from './result.js';

/** The figures that the project quotes, and what is made of them: charts, and the tables of the README. */
export class ResultFiles {
  constructor(private readonly root = process.cwd()) {}

  read(store: StoreName): Result {
    const file = this.path(store, 'json');
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Result) : { store, measures: {} };
  }

  /** Keeps what was measured in the place of older runs of the same measures, and draws anew. */
  keep(store: StoreName, made: readonly Measured[], order: readonly string[]): void {
    mkdirSync(join(this.root, 'docs/bench'), { recursive: true });
    writeFileSync(this.path(store, 'json'), written(merge(this.read(store), made, order)));
    this.draw(store);
  }

  /** Writes chart and tables of what is kept. */
  draw(store: StoreName): void {
    const result = this.read(store);
    if (Object.keys(result.measures).length === 0) return;
    writeFileSync(this.path(store, 'svg'), chartOf(result));
    const readme = join(this.root, 'README.md');
    writeFileSync(readme, withBlock(readFileSync(readme, 'utf8'), store, readmeBlock(result)));
  }

  private path(store: StoreName, kind: 'json' | 'svg'): string {
    return join(this.root, 'docs/bench', `${store}.${kind}`);
  }
}

const marks = (store: StoreName) => [`<!-- bench:${store} -->`, `<!-- /bench:${store} -->`] as const;

/** What stands between the marks of a store. */
export function blockOf(readme: string, store: StoreName): string {
  const [from, to] = placeOf(readme, store);
  return readme.slice(from, to).trim();
}

export function withBlock(readme: string, store: StoreName, block: string): string {
  const [from, to] = placeOf(readme, store);
  return `${readme.slice(0, from)}\n\n${block}\n\n${readme.slice(to)}`;
}

function placeOf(readme: string, store: StoreName): [from: number, to: number] {
  const [open, close] = marks(store);
  const [from, to] = [readme.indexOf(open), readme.indexOf(close)];
  if (from < 0 || to < from) throw new Error(`the README has no ${open} with a ${close} after it`);
  return [from + open.length, to];
}
