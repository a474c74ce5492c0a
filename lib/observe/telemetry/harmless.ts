/**
 * Calls into what an application has registered for telemetry: its processors, exporters and propagators may throw, and
 * nothing that they look on may be changed by that. Said once, for it would be said with every task.
 */
export class Harmless {
  private isSaid = false;

  constructor(private readonly report: (error: unknown) => void) {}

  /** What the call gives; undefined where it threw. */
  call<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      if (!this.isSaid) this.report(error);
      this.isSaid = true;
      return undefined;
    }
  }

  /** Work that goes on within something of theirs, and without it where that fails; it is begun once. */
  within<T>(around: (work: () => Promise<T>) => unknown, work: () => Promise<T>): Promise<T> {
    let begun: Promise<T> | undefined;
    const begin = () => (begun ??= (async () => work())());
    this.call(() => around(begin));
    return begin();
  }
}
