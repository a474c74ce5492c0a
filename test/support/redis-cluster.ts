import { Cluster, Redis } from 'ioredis';

/** The nodes that an address of a cluster names. */
export function nodesOf(url: string): { host: string; port: number }[] {
  return url
    .replace('redis+cluster://', '')
    .split(',')
    .map((place) => ({ host: place.split(':')[0]!, port: Number(place.split(':')[1]) }));
}

/** A client of a test's own, past the backend. */
export function clusterClient(url: string): Cluster {
  return new Cluster(nodesOf(url));
}

/** The slot of a queue's keys. */
export async function slotOfQueue(client: Cluster | Redis, queue: string): Promise<number> {
  return Number(await client.cluster('KEYSLOT', /\{.+\}/.test(queue) ? queue : `{${queue}}`));
}

/** Moves slots of a cluster from node to node, with their keys, as its tools do. */
export class SlotMover {
  private readonly nodes: Redis[];

  constructor(url: string) {
    this.nodes = nodesOf(url).map(({ host, port }) => new Redis(port, host));
    // A node may be down on purpose: calls tell.
    for (const node of this.nodes) node.on('error', () => undefined);
  }

  close(): void {
    for (const node of this.nodes) node.disconnect();
  }

  /** To the next node, in the order of the address. */
  async moveOn(slot: number): Promise<void> {
    const from = await this.ownerOf(slot);
    const to = (from + 1) % this.nodes.length;
    const [source, target] = [this.nodes[from]!, this.nodes[to]!];
    const targetId = await this.open(slot, source, target);
    const { host, port } = target.options;
    for (;;) {
      const keys = await source.cluster('GETKEYSINSLOT', slot, 10);
      if (keys.length === 0) break;
      await source.migrate(host!, port!, '', 0, 10_000, 'KEYS', ...keys);
    }
    // The new owner first, so that there is always one.
    for (const node of [
      target,
      source,
      ...this.nodes.filter((other) => other !== source && other !== target),
    ])
      await node.cluster('SETSLOT', slot, 'NODE', targetId);
  }

  /** Holds a slot at the very beginning of its move, with every key still there, while `act` goes on. */
  async whileMoving(slot: number, act: () => Promise<void>): Promise<void> {
    const from = await this.ownerOf(slot);
    const [source, target] = [this.nodes[from]!, this.nodes[(from + 1) % this.nodes.length]!];
    await this.open(slot, source, target);
    try {
      await act();
    } finally {
      for (const node of [source, target]) await node.cluster('SETSLOT', slot, 'STABLE');
    }
  }

  private async open(slot: number, source: Redis, target: Redis): Promise<string> {
    const [sourceId, targetId] = await Promise.all([source.cluster('MYID'), target.cluster('MYID')]);
    await target.cluster('SETSLOT', slot, 'IMPORTING', sourceId);
    await source.cluster('SETSLOT', slot, 'MIGRATING', targetId);
    return targetId;
  }

  private async ownerOf(slot: number): Promise<number> {
    const ranges = await this.nodes[0]!.cluster('SLOTS');
    const [, , owner] = ranges.find(([from, to]) => from <= slot && slot <= to)!;
    return this.nodes.findIndex(({ options }) => options.port === owner![1]);
  }
}
