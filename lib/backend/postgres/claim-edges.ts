import type { ClaimRequest } from '../backend.js';

/** How long claims may begin at an edge before one looks at everything again. */
const edgeMs = 1_000;
/** Leases that ended so long before a look were seen by it, whoever was late to commit. */
const marginMs = 2_000;

/** Where the latest claim from a queue ended. */
interface Edge {
  /** Priority, due time and arrival number of the last task. */
  place: readonly number[];
  /** Leases that ended before this were looked for. */
  readonly since: number;
  readonly until: number;
}

/**
 * While somebody keeps an old snapshot open, PostgreSQL cannot clear away the rows of tasks that were claimed and done, and every
 * claim would read through all of them again. A claim that meets many leaves an edge behind, at which those of the next second
 * begin. What comes to lie before it meanwhile by another process (a lost lease, a due time in the past) waits for that second.
 */
export class ClaimEdges {
  private readonly edges = new Map<string, Edge>();

  /** What a request tells of them, each as PostgreSQL writes a list. */
  of({ queues, declares, holding }: ClaimRequest): Record<string, string> | undefined {
    // A sweep looks at everything.
    if (this.edges.size === 0 || declares || holding) return undefined;
    const known: [string, string][] = [];
    for (const { queue } of queues) {
      const edge = this.edges.get(queue);
      if (edge && edge.until > performance.now()) known.push([queue, `{${edge.place.join()},${edge.since}}`]);
      else this.edges.delete(queue);
    }
    return known.length > 0 ? Object.fromEntries(known) : undefined;
  }

  /** What a claim said of a queue behind the time of its next look: an edge and the store's time, or nothing. */
  learn(queue: string, said: string | undefined): void {
    if (said === undefined) return;
    const [priority, dueAt, arrival, now] = said.split(',').map(Number) as [number, number, number, number];
    const place = [priority, dueAt, arrival];
    const known = this.edges.get(queue);
    if (known) known.place = laterOf(known.place, place);
    else this.edges.set(queue, { place, since: now - marginMs, until: performance.now() + edgeMs });
  }

  /** Something has come to lie before the edge. */
  forget(queue: string): void {
    this.edges.delete(queue);
  }
}

/** A claim that took but tasks of a better priority has not come as far as those before it. */
function laterOf(one: readonly number[], other: readonly number[]): readonly number[] {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at >= 0 && one[at]! > other[at]! ? one : other;
}
