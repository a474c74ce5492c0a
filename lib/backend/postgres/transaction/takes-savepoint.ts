const name = '"nestjs-jobs"';
const noActiveTransaction = '25P01';

/** Both in one, for drivers that send several statements at once. */
export const savepointAndRelease = `SAVEPOINT ${name}; RELEASE SAVEPOINT ${name}`;

/** Whether a transaction is open, found by what the server takes within one only; for libraries that cannot tell. */
export async function takesSavepoint(
  run: (sql: string) => Promise<unknown>,
  statements: readonly string[] = [`SAVEPOINT ${name}`, `RELEASE SAVEPOINT ${name}`],
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
  if (!(error instanceof Error)) return false;
  return (error as { code?: unknown }).code === noActiveTransaction || isNoTransaction(error.cause);
}
