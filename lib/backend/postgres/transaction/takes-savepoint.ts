const savepoint = '"nestjs-jobs"';
const probe = [`SAVEPOINT ${savepoint}`, `RELEASE SAVEPOINT ${savepoint}`];
const noActiveTransaction = '25P01';

/** The same in one, for drivers that take several statements at once. */
export const probeInOne = [probe.join('; ')];

/** Whether a transaction is open, found by what the server takes within one only; for libraries that cannot tell. */
export async function takesSavepoint(
  run: (sql: string) => Promise<unknown>,
  statements: readonly string[] = probe,
): Promise<boolean> {
  try {
    for (const statement of statements) await run(statement);
    return true;
  } catch (error) {
    if (isNoTransaction(error)) return false;
    throw error;
  }
}

/** Libraries wrap what their drivers throw. */
function isNoTransaction(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return code === noActiveTransaction || isNoTransaction(cause);
}
