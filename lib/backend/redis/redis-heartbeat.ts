import type { Redis } from 'ioredis';

/** How long a listening connection may be silent before it must show that it is alive. */
const silenceMs = 5_000;

/**
 * A connection that only listens sends nothing, and so never learns that its other end is gone. Where nothing was heard for a
 * while it asks; the client itself makes a connection anew that does not answer. Answers what ends it.
 */
export function keepAsking(subscriber: Redis): () => void {
  let isHeard = false;
  const hear = () => (isHeard = true);
  subscriber.on('message', hear).on('smessage', hear);
  const timer = setInterval(() => {
    if (!isHeard && subscriber.status === 'ready') subscriber.ping().catch(() => undefined);
    isHeard = false;
  }, silenceMs);
  return () => {
    clearInterval(timer);
    subscriber.off('message', hear).off('smessage', hear);
  };
}
