import { InvalidOptionError } from './errors.js';

/** A step on the way to a value: a key or an index; '*' stands for each. */
export type RedactPath = readonly string[];

const step = /^(?:\.?([^.[\]"]+)|\[(\d+|\*)\]|\[("(?:[^"\\]|\\.)*")\])/;

/** `card.number`, `items.*.secret`, `items[*].secret`, `headers["x.api.key"]`. */
export function parseRedactPath(text: string, where: string): RedactPath {
  const steps: string[] = [];
  for (let rest = text; rest !== '';) {
    const found = step.exec(rest);
    // A name is set off by a dot from what is before it, and by none from nothing.
    if (!found || (found[1] !== undefined && rest.startsWith('.') === (steps.length === 0)))
      throw badPath(text, where);
    steps.push(found[1] ?? found[2] ?? (JSON.parse(found[3]!) as string));
    rest = rest.slice(found[0].length);
  }
  if (steps.length === 0) throw badPath(text, where);
  return steps;
}

function badPath(text: string, where: string): InvalidOptionError {
  const examples = `such as 'password', 'card.number', 'items.*.secret' or 'headers["x.key"]'`;
  return new InvalidOptionError(where, 'redact', text, `paths of params, ${examples}`);
}

/** What is found under a path, with what holds it; a list is looked through where a name stands for an item of it. */
export function visit(value: unknown, path: RedactPath, found: (holder: object, key: string) => void): void {
  if (typeof value !== 'object' || value === null) return;
  const [key, ...rest] = path as [string, ...string[]];
  if (Array.isArray(value) && key !== '*' && !/^\d+$/.test(key)) {
    for (const item of value) visit(item, path, found);
    return;
  }
  for (const name of key === '*' ? Object.keys(value) : [key]) {
    // What every object has is no param; one of its own may have the same name.
    if (!Object.hasOwn(value, name) && (!(name in value) || name in Object.prototype)) continue;
    if (rest.length === 0) found(value, name);
    else visit((value as Record<string, unknown>)[name], rest, found);
  }
}
