import { realNow } from './real-time.js';

/** A look counts for no more, however long it took to come round: then the machine was slow or the event loop busy. */
const longestLookMs = 10;
/** A run that has opened something really waits for it, as for a connection, and not for virtual time. */
const timesForOpened = 4;
/** A job whose handler was once found to wait for time to pass is not waited for as long again. */
const shortPatienceMs = 20;

/**
 * How long what runs has been waited for in real time. Only time counts in which the event loop was free and nothing
 * happened: a slow machine must not have virtual time pass.
 */
export class RealWait {
  private waitedMs = 0;
  private seenAt = realNow();
  private before = openNow();

  constructor(private readonly patienceMs: number) {}

  /** Nothing runs: what is open by now is no sign of a run to come. */
  settle(): void {
    this.before = openNow();
    this.begin();
  }

  /** Something happened: the waiting begins anew. */
  begin(): void {
    this.waitedMs = 0;
    this.seenAt = realNow();
  }

  /** To be asked again and again, in turns of the event loop. */
  isOver(isKnownToHang = false): boolean {
    const now = realNow();
    this.waitedMs += Math.min(now - this.seenAt, longestLookMs);
    this.seenAt = now;
    if (this.waitedMs <= Math.min(this.patienceMs, shortPatienceMs)) return false;
    if (this.hasOpened()) return this.waitedMs > this.patienceMs * timesForOpened;
    return isKnownToHang || this.waitedMs > this.patienceMs;
  }

  private hasOpened(): boolean {
    for (const [kind, count] of openNow()) if (count > (this.before.get(kind) ?? 0)) return true;
    return false;
  }
}

/** Timers, connections, files and the like that keep the process, by their kind. */
function openNow(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo())
    // Our own turns are among them.
    if (kind !== 'Immediate') counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}
