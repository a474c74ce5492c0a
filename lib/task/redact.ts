import { InvalidParamsError } from './errors.js';
import { isError } from './realm.js';
import { parseRedactPath, visit, type RedactPath } from './redact-path.js';
import { maskText, redacted, secretsOf, type Mask } from './redact-text.js';

/** Which params of a job are not to be seen in logs, errors, catalog and events. */
export class Redaction {
  readonly paths: readonly RedactPath[];

  constructor(paths: readonly string[], where: string) {
    this.paths = paths.map((path) => parseRedactPath(path, where));
  }

  /** Params as they are stored, masked; text that cannot be read is masked as a whole. */
  maskParams(text: string): string {
    if (text === '') return text;
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
    let values: ReadonlySet<string> | undefined;
    return (text) =>
      maskText(text, (values ??= secretsOf([...this.hidden(read(stored)), ...this.hidden(value)])));
  }

  private hidden(params: unknown): unknown[] {
    const found: unknown[] = [];
    try {
      for (const path of this.paths)
        visit(params, path, (holder, key) => found.push((holder as Record<string, unknown>)[key]));
    } catch {
      // A getter of somebody's: what was found before it counts.
    }
    return found;
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
