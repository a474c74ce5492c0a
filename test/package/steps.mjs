let passed = 0;
let failed = 0;
let isInterrupted = false;

/** Runs a check and prints how it went; answers whether it passed. */
export async function step(name, check) {
  if (isInterrupted) return new Promise(() => {});
  const startedAt = performance.now();
  const seconds = () => `${((performance.now() - startedAt) / 1_000).toFixed(1)} s`;
  try {
    await check();
    passed += 1;
    console.log(`✓ ${name} (${seconds()})`);
    return true;
  } catch (error) {
    failed += 1;
    console.log(`✗ ${name} (${seconds()})\n${error instanceof Error ? error.message : error}`);
    return false;
  }
}

/** No further step begins. */
export function interrupt() {
  isInterrupted = true;
}

/** The closing line; answers the exit code. */
export function report() {
  console.log(`\n${passed} passed, ${failed} failed`);
  return failed > 0 || passed === 0 ? 1 : 0;
}
