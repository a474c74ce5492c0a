import type { Claim, ClaimRequest } from '../backend.js';

/** How long claims may begin at an edge before one looks at everything again. */
const edgeMs = 1_000;
/** Leases that ended so long before a look were seen by it, whoever was late to commit. */
const marginMs = 2_000;

/** Where the waiting tasks of a queue began for its latest claim. */
interface Edge {
  priority: number;
  dueAt: number;
  /** Leases that ended before this were looked for. */
  readonly since: number;
  readonly until: number;
}

/**
 * While somebody keeps an old snapshot open, PostgreSQL cannot clear away the rows of tasks that were claimed and done, and every
 * claim would read through all of them again. A claim that says so leaves an edge behind, at which those of the next second
 * begin. What comes to lie before it meanwhile by another process (a lost lease, a due time in the past) waits for that second.
 */
export class ClaimEdges {
  private readonly edges = new Map<string, Edge>();

  /** What a request tells of them. */
  of({ queues, declares, holding }: ClaimRequest): Record<string, number[]> | undefined {
    // A sweep looks at everything.
    if (this.edges.size === 0 || declares || holding) return undefined;
    const known: [string, number[]][] = [];
    for (const { queue } of queues) {
      const edge = this.edges.get(queue);
      if (edge && edge.until > performance.now())
        known.push([queue, [edge.priority, edge.dueAt, edge.since]]);
      else this.edges.delete(queue);
    }
    return known.length > 0 ? Object.fromEntries(known) : undefined;
  }

  learn(request: ClaimRequest, { tasks }: Claim, isLittered: (index: number) => boolean): void {
    // Parked tasks that are claimed by a sweep say nothing about those that wait.
    if (request.declares) return;
    request.queues.forEach(({ queue }, index) => {
      const known = this.edges.get(queue);
      if (!known && !isLittered(index)) return;
      const last = tasks.findLast((task) => task.queue === queue);
      if (!last) return;
      const { priority, dueAt, epoch } = last;
      if (known) Object.assign(known, { priority, dueAt });
      else {
        // An epoch is drawn from the store's clock at the claim, in microseconds.
        const since = Math.floor(epoch / 1_000) - marginMs;
        this.edges.set(queue, { priority, dueAt, since, until: performance.now() + edgeMs });
      }
    });
  }

  /** Something has come to lie before the edge. */
  forget(queue: string): void {
    this.edges.delete(queue);
  }
}
