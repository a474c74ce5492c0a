import { readFileSync } from 'node:fs';

/** A member of an options interface, as its source documents it. */
export interface DocumentedOption {
  readonly name: string;
  /** A default that can be compared: `10`, `'5s'`, `false`. */
  readonly literalDefault: string | undefined;
}

/** The members of an exported interface, without those that it inherits. */
export function optionsOf(file: string, name: string): DocumentedOption[] {
  const source = readFileSync(file, 'utf8');
  const body = new RegExp(`export interface ${name}\\b[^{]*\\{\\n([\\s\\S]*?)\\n\\}`).exec(source)?.[1];
  if (body === undefined) throw new Error(`${file} has no interface ${name}`);
  const members = [...body.matchAll(/(?: {2}\/\*\*([\s\S]*?)\*\/\n)? {2}(?:readonly )?(\w+)\??:/g)];
  return members.map(([, comment = '', member]) => ({
    name: member!,
    literalDefault: /@default ('[^']*'|\d+|true|false)(?=[\s,:])(?! ·)/.exec(comment)?.[1],
  }));
}

/** The error classes of a file with their codes. */
export function errorsOf(file: string): { name: string; codes: string[] }[] {
  const source = readFileSync(file, 'utf8');
  return source
    .split(/^export (?=(?:abstract )?class )/m)
    .slice(1)
    .flatMap((text) => {
      const name = /^class (\w+Error)\b/.exec(text)?.[1];
      const code = /readonly code[^=]*= '(\w+)'/.exec(text)?.[1];
      return name && code ? [{ name, codes: [code] }] : [];
    });
}
