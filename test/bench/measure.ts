import os from 'node:os';

/** One line of the table: what was measured, and its figures by column. */
export type Row = Record<string, string | number>;

/** Tasks per second of a piece of work that handles `count` of them. */
export async function perSecond(count: number, work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return count / ((performance.now() - startedAt) / 1_000);
}

/** The middle of several rounds, and how far they spread; the first round warms up and does not count. */
export async function rounds(
  count: number,
  round: () => Promise<number>,
): Promise<{ median: number; spread: string }> {
  await round();
  const figures: number[] = [];
  for (let n = 0; n < count; n++) figures.push(await round());
  figures.sort((a, b) => a - b);
  return {
    median: figures[Math.floor(count / 2)]!,
    spread: `${thousands(figures[0]!)} – ${thousands(figures.at(-1)!)}`,
  };
}

export function thousands(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** A Markdown table, so that it can be quoted as it is. */
export function printTable(title: string, rows: readonly Row[]): void {
  const columns = Object.keys(rows[0]!);
  console.log(`\n${title}\n`);
  console.log(`| ${columns.join(' | ')} |`);
  console.log(`| ${columns.map(() => '---').join(' | ')} |`);
  for (const row of rows) console.log(`| ${columns.map((column) => row[column]).join(' | ')} |`);
}

export function machine(): string {
  const { model } = os.cpus()[0]!;
  return `${model}, ${os.cpus().length} cores, Node ${process.versions.node}, nestjs-jobs on the memory backend`;
}
