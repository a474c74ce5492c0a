/** Milliseconds of a clock that never runs back and, unlike performance.now(), is the same for all threads of a process. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
