import type { ClaimRequest } from '../backend.js';

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
 * PostgreSQL clears away what is left of tasks that were claimed and done once a minute at best, and not at all while somebody
 * keeps an old snapshot open: every claim would go through all of it again. So one that takes all it wants may leave an edge
 * behind, at which those of the next moments begin; the schema's `told_edge` says when, and for how long. What comes to lie before
 * it meanwhile by another process (a lost lease, a due time in the past) waits until then, or until a claim finds too little.
 */
export class ClaimEdges {
  private readonly edges = new Map<string, Edge>();
  /** At which a request began: its answer moves no other. */
  private readonly begunAt = new WeakMap<ClaimRequest, ReadonlyMap<string, Edge>>();

  /** What a request tells of them, each as PostgreSQL writes a list, by queue. */
  of(request: ClaimRequest): Record<string, string> | undefined {
    const { queues, declares, holding } = request;
    // A sweep looks at everything.
    if (this.edges.size === 0 || declares || holding) return undefined;
    const known = new Map<string, Edge>();
    for (const { queue } of queues) {
      const edge = this.edges.get(queue);
      if (edge && edge.until > performance.now()) known.set(queue, edge);
      else this.edges.delete(queue);
    }
    if (known.size === 0) return undefined;
    this.begunAt.set(request, known);
    return Object.fromEntries(
      Array.from(known, ([queue, { place, since }]) => [queue, `{${place.join()},${since}}`]),
    );
  }

  /** What an answer said of a queue behind the time of its next look: an edge, the store's time and how long it lasts, or nothing. */
  learn(request: ClaimRequest, queue: string, said: string | undefined): void {
    const begunAt = this.begunAt.get(request)?.get(queue);
    const isLatest = begunAt === this.edges.get(queue);
    // It found too little behind its edge: the next looks at everything.
    if (said === undefined) return void (isLatest && this.edges.delete(queue));
    const [priority, dueAt, arrival, now, lastsMs] = said.split(',').map(Number) as FiveNumbers;
    const place = [priority, dueAt, arrival];
    if (lastsMs > 0)
      this.edges.set(queue, { place, since: now - marginMs, until: performance.now() + lastsMs });
    else if (begunAt && isLatest) begunAt.place = laterOf(begunAt.place, place);
  }

  /** Something has come to lie before the edge. */
  forget(queue: string): void {
    this.edges.delete(queue);
  }
}

type FiveNumbers = [number, number, number, number, number];

/** A claim that took but tasks of a better priority has not come as far as those before it. */
function laterOf(one: readonly number[], other: readonly number[]): readonly number[] {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at >= 0 && one[at]! > other[at]! ? one : other;
}
