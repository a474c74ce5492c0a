import { setMaxListeners } from 'node:events';
import { Cluster } from 'ioredis';
import { StoreUnavailableError } from '../errors.js';
import { cutOff, type RedisClient } from './redis-clients.js';
import { RedisDeadlines } from './redis-deadlines.js';
import { isReply, withoutCommand } from './redis-refusal.js';
import { slotOf, type RedisKeys } from './redis-keys.js';
import { CallOpening, ScriptCall } from './script-call.js';
import { scriptsFor, type BellKind, type Script, type ScriptName } from './redis-scripts.js';

/** How often, at most, the nodes of a cluster are asked where the slots are while one is away. */
const lookEveryMs = 1_000;

/** Runs scripts, each within a deadline: no caller waits for a server that will not answer. */
export class RedisConnection {
  private readonly noted = new Set<string>();
  private readonly openings = new Map<string, Partial<Record<ScriptName, CallOpening>>>();
  private readonly scripts: Record<ScriptName, Script>;
  private readonly deadlines: RedisDeadlines;
  private readonly closing = new AbortController();
  private lookedAt = -Infinity;

  constructor(
    readonly client: RedisClient,
    readonly keys: RedisKeys,
    private readonly deadlineMs: number,
    readonly bells: BellKind,
  ) {
    this.scripts = scriptsFor(bells);
    this.deadlines = new RedisDeadlines(deadlineMs);
    // Every call that waits for its next try listens.
    setMaxListeners(0, this.closing.signal);
  }

  /** Whoever still waits for an answer is told that none will come. */
  async close(): Promise<void> {
    this.closing.abort();
    const gone = cutOff(this.client);
    this.deadlines.close();
    await gone;
  }

  get closed(): AbortSignal {
    return this.closing.signal;
  }

  /** Whether queues may lie apart, each slot to be asked by calls of its own. */
  get isCluster(): boolean {
    return this.client instanceof Cluster;
  }

  /** Parts items into those that one call can bring: all of them, on a cluster those of one slot. */
  sharing<T extends { readonly queue: string }>(items: readonly T[]): T[][] {
    const parts = new Map<number, T[]>();
    for (const item of items) {
      const slot = this.isCluster ? this.keys.slot(item.queue) : 0;
      const others = parts.get(slot);
      if (others) others.push(item);
      else parts.set(slot, [item]);
    }
    return [...parts.values()];
  }

  /** Without queues it is about the runners. `line` is the line of calls that a script adds tasks by. */
  run(
    script: ScriptName,
    queues: readonly string[],
    args: readonly (string | number)[],
    line?: string,
  ): Promise<unknown> {
    const slot = this.isCluster ? this.slotFor(queues) : undefined;
    return this.answered(script, slot, () => this.evaluate(script, queues, args, line));
  }

  /** Remembers the names of queues that get tasks, for whoever lists them. Only a hint: written beside, not within, a step. */
  note(queues: Iterable<string>): void {
    for (const queue of queues) {
      if (this.noted.has(queue)) continue;
      this.noted.add(queue);
      this.client.sadd(this.keys.queues, queue).catch(() => this.noted.delete(queue));
    }
  }

  queues(): Promise<string[]> {
    const { queues } = this.keys;
    return this.answered('queues', this.isCluster ? slotOf(queues) : undefined, () =>
      this.client.smembers(queues),
    );
  }

  private slotFor([queue]: readonly string[]): number {
    return queue === undefined ? slotOf(this.keys.runners[0]) : this.keys.slot(queue);
  }

  private evaluate(
    script: ScriptName,
    queues: readonly string[],
    args: readonly (string | number)[],
    line?: string,
  ): Promise<unknown> {
    const { source, sha } = this.scripts[script];
    const words = () => [...this.keyWords(script, queues, line), ...args];
    // The reply to an exchange is read as bytes.
    const isBytes = script === 'exchange';
    const call = isBytes ? 'callBuffer' : 'call';
    const opening = this.openingOf(script, queues, line);
    const rest = line === undefined ? args : [this.keys.calls(queues[0]!, line), ...args];
    const answer = opening
      ? (this.client.sendCommand(new ScriptCall(opening, rest, isBytes ? null : 'utf8')) as Promise<unknown>)
      : // In small letters: the client would make them small again and again.
        this.client[call]('evalsha', [sha, ...words()]);
    return answer.catch((error: unknown) => {
      // A server that was restarted, or whose scripts were flushed, has done nothing yet.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return this.client[call]('eval', [source, ...words()]);
    });
  }

  /** The keys of a call behind their number. */
  private keyWords(script: ScriptName, queues: readonly string[], line?: string): (string | number)[] {
    const isOfRunners = queues.length === 0;
    const keys = isOfRunners
      ? [...this.keys.runners]
      : queues.flatMap((queue) => this.keys.of(queue, script));
    if (line !== undefined) keys.push(this.keys.calls(queues[0]!, line));
    // While a slot moves no script may run: see lua/base.lua.
    if (this.isCluster) keys.push(isOfRunners ? this.keys.neverOfRunners : this.keys.never(queues[0]!));
    return [keys.length, ...keys];
  }

  /**
   * What a call begins with, where that is worth keeping: most calls are about one queue. The key of a line, of which there
   * may be many, comes behind it; a script is always called with one, or never.
   */
  private openingOf(script: ScriptName, queues: readonly string[], line?: string): CallOpening | undefined {
    if (this.isCluster || queues.length !== 1) return undefined;
    const [queue] = queues as [string];
    let openings = this.openings.get(queue);
    if (!openings) this.openings.set(queue, (openings = {}));
    return (openings[script] ??= new CallOpening(
      this.scripts[script].sha,
      this.keys.of(queue, script),
      line === undefined ? 0 : 1,
    ));
  }

  private answered<T>(what: string, slot: number | undefined, ask: () => Promise<T>): Promise<T> {
    const status = this.statusFor(slot);
    if (status !== 'ready')
      return Promise.reject(new StoreUnavailableError(`redis is not connected (${status})`, false));
    return this.deadlines.within(
      ask(),
      () => new StoreUnavailableError(`redis did not answer ${what} within ${this.deadlineMs} ms`, true),
      (cause) => troubleOf(what, cause),
    );
  }

  /** On a cluster the state of the one node that has the slot. */
  private statusFor(slot: number | undefined): string {
    const { client } = this;
    if (slot === undefined || client.status !== 'ready' || !(client instanceof Cluster)) return client.status;
    const owner = client.slots[slot]?.[0];
    const node = client.nodes('master').find(({ options }) => `${options.host}:${options.port}` === owner);
    // One that is not known yet is found by asking; one that still sleeps is woken by its first command.
    if (!node || node.status === 'wait') return 'ready';
    if (node.status !== 'ready') this.lookForSuccessor(client);
    return node.status;
  }

  /** After a failover another node has the slots of one that is gone: the client would only hear of it by asking that one. */
  private lookForSuccessor(cluster: Cluster): void {
    const now = performance.now();
    if (now - this.lookedAt < lookEveryMs) return;
    this.lookedAt = now;
    cluster.refreshSlotsCache(() => undefined);
  }
}

/** Replies by which a server says that it did nothing, and may do it later; also as the last of those that a client followed. */
const notNow =
  /^(Too many Cluster redirections\. Last error: ReplyError: )?(LOADING|TRYAGAIN|CLUSTERDOWN|MASTERDOWN|READONLY|MOVED|ASK|BUSY)\b/;

function troubleOf(what: string, thrown: unknown): unknown {
  const cause = withoutCommand(thrown as Error);
  const [found, astray] = notNow.exec(cause.message) ?? [];
  if (found && (astray || isReply(cause)))
    return new StoreUnavailableError(`redis cannot do ${what} now: ${cause.message}`, false, { cause });
  return isReply(cause) ? cause : new StoreUnavailableError(`redis did not answer ${what}`, true, { cause });
}
