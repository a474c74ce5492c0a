import type { TaskExtra } from './enqueue-plan.js';
import { InvalidParamsError } from './errors.js';
import { isError } from './realm.js';
import { parseRedactPath, visit, type RedactPath } from './redact-path.js';
import { maskHiding, redacted, type Mask } from './redact-text.js';

/** Which params of a job are not to be seen in logs, errors, catalog and events. */
export class Redaction {
  readonly paths: readonly RedactPath[];
  /** Nothing is to be seen, whatever the params are: also a bare text has no key that a path could name. */
  private readonly isWhole: boolean;

  constructor(
    private readonly texts: readonly string[],
    where: string,
  ) {
    this.paths = texts.map((path) => parseRedactPath(path, where));
    this.isWhole = this.paths.some(([first, ...rest]) => first === '*' && rest.length === 0);
  }

  /** With what these paths hide beside. */
  and(texts: readonly string[]): Redaction {
    const more = texts.filter((text) => !this.texts.includes(text));
    return more.length === 0 ? this : new Redaction([...this.texts, ...more], 'a stored task');
  }

  /** Params as they are stored, masked; text that cannot be read is masked as a whole. */
  maskParams(text: string): string {
    if (text === '') return text;
    if (this.isWhole) return JSON.stringify(redacted);
    try {
      const params: unknown = JSON.parse(text);
      for (const path of this.paths) visit(params, path, (holder, key) => Reflect.set(holder, key, redacted));
      return JSON.stringify(params);
    } catch {
      return JSON.stringify(redacted);
    }
  }

  /** Takes out of texts what stored params hide, and what became of them on their way. Nothing is read before the first text. */
  maskOf(stored: string, value?: unknown): Mask {
    return maskHiding(() => this.hiddenIn(stored, value));
  }

  /** The values themselves. */
  hiddenIn(stored: string, value?: unknown): unknown[] {
    return [...this.hidden(read(stored)), ...this.hidden(value)];
  }

  private hidden(params: unknown): unknown[] {
    if (this.isWhole) return [params];
    const found: unknown[] = [];
    try {
      for (const path of this.paths)
        visit(params, path, (holder, key) => found.push((holder as Record<string, unknown>)[key]));
    } catch (error) {
      // Nested deeper than can be gone through: what is in there is not known.
      if (error instanceof RangeError) throw error;
      // A getter of somebody's: what was found before it counts.
    }
    return found;
  }
}

const nothing = new Redaction([], 'a stored task');
const everything = new Redaction(['*'], 'a stored task');

/** What travels with a task may say which of its params are not to be seen, beside what its job is known to hide. */
export function storedRedaction(
  extra: string | undefined,
  known: Redaction | undefined,
): Redaction | undefined {
  if (!extra?.includes('"redact":')) return known;
  const said = read(extra);
  // It hides something, and cannot tell what.
  if (typeof said !== 'object' || said === null) return everything;
  return withStored((said as TaskExtra).redact, known);
}

/** The same, of paths that were read already. */
export function withStored(paths: TaskExtra['redact'], known: Redaction | undefined): Redaction | undefined {
  if (paths === undefined) return known;
  try {
    return (known ?? nothing).and(paths);
  } catch {
    // A path of a later version: what it hides is not known.
    return everything;
  }
}

/** What was wrong with params, without the params. */
export function maskParamsError(error: unknown, mask: Mask): unknown {
  if (!(error instanceof InvalidParamsError)) return error;
  const { job, violations, cause } = error;
  const masked = violations.map(({ path, message }) => ({ path, message: mask(message) }));
  return new InvalidParamsError(
    job,
    masked,
    cause === undefined ? undefined : { cause: maskCause(cause, mask) },
  );
}

function maskCause(cause: unknown, mask: Mask): Error {
  const { name, message, stack } = isError(cause) ? cause : new Error(String(cause));
  const masked = new Error(mask(message));
  masked.name = name;
  if (stack !== undefined) masked.stack = mask(stack);
  return masked;
}

function read(text: string): unknown {
  try {
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}
