/** One line of the table: what was measured, and its figures by column. */
export type Row = Record<string, string | number>;

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
