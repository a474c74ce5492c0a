import { readFileSync } from 'node:fs';

/** A `ts` block of the README. One that exports is a module; one that does not is a run of statements. */
export interface Snippet {
  /** `line-42`: also the name of its generated file, so that a compiler message leads back to the README. */
  readonly name: string;
  readonly heading: string;
  readonly code: string;
  readonly isModule: boolean;
  readonly exports: readonly string[];
}

/** A part of the README under one heading, without the parts below it. */
export interface Section {
  readonly heading: string;
  readonly text: string;
}

/** What a snippet may use without importing it, by the module it comes from. */
export type Imports = ReadonlyMap<string, { readonly values: Set<string>; readonly types: Set<string> }>;

export const readme = readFileSync('README.md', 'utf8');

export function sectionsOf(markdown: string): Section[] {
  const sections: { heading: string; text: string }[] = [{ heading: '', text: '' }];
  let isCode = false;
  for (const line of markdown.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode;
    const heading = isCode ? undefined : /^#+ (.*)/.exec(line)?.[1];
    if (heading !== undefined) sections.push({ heading, text: '' });
    sections.at(-1)!.text += `${line}\n`;
  }
  return sections;
}

/** The rows of the README's tables under a heading, by the first word of their first cell. */
export function rowsOf(heading: string): Map<string, string> {
  const section = sectionsOf(readme).find((candidate) => candidate.heading === heading);
  const rows = section!.text.split('\n').filter((line) => line.startsWith('| `'));
  return new Map(rows.map((row) => [/^\| `(\w+)/.exec(row)![1]!, row]));
}

/** The cells of the first table under a heading, head and all, without marks. */
export function tableOf(heading: string): string[][] {
  const section = sectionsOf(readme).find((candidate) => candidate.heading === heading);
  const [table] = /(?:^\|.*\n)+/m.exec(section!.text)!;
  const [head, , ...rows] = table.trim().split('\n');
  return [head!, ...rows].map((row) =>
    row
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.replaceAll('`', '').trim()),
  );
}

/** Those whose fence says `kind`: code as it stands, or a spec. */
export function snippetsOf(markdown: string, kind: 'ts' | 'ts spec' = 'ts'): Snippet[] {
  const lines = markdown.split('\n');
  const snippets: Snippet[] = [];
  let heading = '';
  for (let at = 0; at < lines.length; at++) {
    heading = /^#+ (.*)/.exec(lines[at]!)?.[1] ?? heading;
    if (!lines[at]!.startsWith('```')) continue;
    const end = lines.indexOf('```', at + 1);
    if (lines[at] === `\`\`\`${kind}`) {
      const code = lines.slice(at + 1, end).join('\n');
      const exports = [...code.matchAll(/^export (?:async )?(?:class|function|const) (\w+)/gm)];
      snippets.push({
        name: `line-${at + 2}`,
        heading,
        code,
        isModule: exports.length > 0,
        exports: exports.map(([, name]) => name!),
      });
    }
    at = end;
  }
  return snippets;
}

/** The statements of the README's `sql` blocks under a heading. */
export function sqlOf(heading: string): string[] {
  const { text } = sectionsOf(readme).find((candidate) => candidate.heading === heading)!;
  const blocks = [...text.matchAll(/^```sql\n([\s\S]*?)^```/gm)].map(([, block]) => block!);
  return blocks.flatMap((block) => block.split(/;\n/)).filter((statement) => statement.trim() !== '');
}

/** The commands that the README grants an ACL user, on one server and on a cluster. */
export function leastRights(markdown: string): { server: string[]; cluster: string[] } {
  const calls = markdown.replace(/ \\\n/g, '').matchAll(/^redis-cli ACL SETUSER (.*)$/gm);
  const [server = [], further = []] = Array.from(calls, ([, text]) => text!.replaceAll("'", '').split(/ +/));
  const granted = (rules: readonly string[], sign: string) =>
    rules.filter((rule) => rule.startsWith(sign)).map((rule) => rule.slice(1));
  const taken = granted(further, '-');
  return {
    server: granted(server, '+'),
    cluster: [...granted(server, '+').filter((name) => !taken.includes(name)), ...granted(further, '+')],
  };
}

/** The names that `lib/index.ts` exports. */
export function publicNames(): { values: Set<string>; types: Set<string> } {
  const values = new Set<string>();
  const types = new Set<string>();
  const index = readFileSync('lib/index.ts', 'utf8');
  for (const [, isType, list] of index.matchAll(/export (type )?\{([^}]*)\}/g))
    for (const item of list!.split(',').map((text) => text.trim()))
      if (item !== '')
        (isType || item.startsWith('type ') ? types : values).add(item.replace(/^type /, '').trim());
  return { values, types };
}

/** The file that stands for a snippet: its imports made explicit, statements in a function, stated results checked. */
export function sourceOf(snippet: Snippet, earlier: readonly Snippet[], imports: Imports): string {
  const { code, isModule } = snippet;
  const from = new Map<string, string>();
  const uses = identifiersOf(code);
  const declared = new Set(
    [...code.matchAll(/(?:class|const|type|function) (\w+)|import \{([^}]*)\}/g)].flatMap(([, name, list]) =>
      name ? [name] : list!.split(',').map((item) => item.replace(/^\s*type /, '').trim()),
    ),
  );
  for (const [module, { values, types }] of imports)
    for (const name of uses) {
      if (values.has(name)) from.set(name, `import { ${name} } from '${module}';`);
      else if (types.has(name)) from.set(name, `import type { ${name} } from '${module}';`);
    }
  for (const { name: file, exports } of earlier)
    for (const name of exports) if (uses.has(name)) from.set(name, `import { ${name} } from './${file}.js';`);
  for (const name of declared) from.delete(name);
  const head = [...from.values()].join('\n');
  if (isModule) return `${head}\n${code}\n`;
  const lines = code.split('\n');
  const isImport = (line: string) => line.startsWith('import ');
  return [
    head,
    ...lines.filter(isImport),
    `import { check, type Stage } from '../../test/support/readme-stage.js';`,
    `export async function statements({ jobs, catalog, runner, health }: Stage) {`,
    ...lines.filter((line) => !isImport(line)).map(checked),
    '}\n',
  ].join('\n');
}

/** How many results a snippet states. */
export function statedResults({ code }: Snippet): number {
  return code.split('\n').filter((line) => line.includes('// → ')).length;
}

/** `expression; // → value` becomes a check. */
function checked(line: string): string {
  const [, expression, value] = /^\s*(.+); \/\/ → (.+)$/.exec(line) ?? [];
  return expression === undefined ? line : `check(${expression}, ${value});`;
}

function identifiersOf(code: string): Set<string> {
  const bare = code
    .replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
    .replace(/'[^'\n]*'/g, "''")
    // Of a template only what it calculates is code.
    .replace(/`[^`]*`/g, (text) => [...text.matchAll(/\$\{([^}]*)\}/g)].map(([, inner]) => inner).join(';'));
  return new Set(bare.match(/(?<![.\w])[A-Za-z_$][\w$]*/g));
}
