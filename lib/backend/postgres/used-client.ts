import type { PgPoolClient } from './drivers.js';

/** A connection that was taken from its pool. Several statements may be on their way on it: the last one gives it back. */
export class UsedClient {
  /** Given back or cut off: it is no longer ours. */
  isOver = false;
  private users = 1;
  private isBroken = false;

  constructor(readonly client: PgPoolClient) {
    client.on('error', unheard);
  }

  /** Another statement goes on it. */
  join(): this {
    this.users++;
    return this;
  }

  leave(isBroken = false): void {
    this.isBroken ||= isBroken;
    if (--this.users > 0) return;
    this.client.off('error', unheard);
    if (this.isOver) return;
    this.isOver = true;
    this.client.release(this.isBroken);
  }

  cutOff(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.client.release(true);
    // A driver that pipelines would wait for the answers to what it has sent.
    this.client.connection?.stream.destroy();
  }

  /** Whether another statement may follow what is under way. */
  get mayBeJoined(): boolean {
    return !this.isOver && !this.isBroken && this.client.pipeline === true;
  }
}

/** A connection that breaks says so by the answer that is waited for; unheard, its event would end the process. */
function unheard(): void {}
