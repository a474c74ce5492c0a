import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { FieldError } from '../../../lib/dashboard/api.js';

/** What the server has against the params as they stand, and what of it is shown already. */
export interface Checking {
  readonly violations: readonly FieldError[];
  /** Nobody is told of a mistake in a field before he has left it. */
  readonly isShown: (path: string) => boolean;
  readonly touch: (path: string) => void;
}

export const CheckingContext = createContext<Checking>({
  violations: [],
  isShown: () => true,
  touch: () => undefined,
});

export function useChecking(): Checking {
  return useContext(CheckingContext);
}

/** What concerns a field: itself, and all below it that no field of its own shows. */
export function violationsAt(
  violations: readonly FieldError[],
  path: string,
  children: readonly string[] = [],
): readonly FieldError[] {
  return violations.filter((violation) => {
    if (violation.path === path) return true;
    const below = path === '' ? violation.path : under(violation.path, path);
    return below !== undefined && !children.includes(below.split('.')[0]!);
  });
}

function under(path: string, above: string): string | undefined {
  return path.startsWith(`${above}.`) ? path.slice(above.length + 1) : undefined;
}

export function joined(path: string, name: string | number): string {
  return path === '' ? String(name) : `${path}.${name}`;
}
