import { Worker } from 'node:worker_threads';

const looks = { lookMs: 20, askMs: 200 };

/** A server that is asked how long it takes to say anything: what to send, and to which ports. */
export interface Probe {
  readonly ports: readonly number[];
  readonly kind: 'redis' | 'postgres';
}

// Apart from the driver's own loop, which reads and judges for some time now and then.
const code = `
const { workerData: { file, leastMs, lookMs, askMs, probe } } = require('node:worker_threads');
const { appendFileSync } = require('node:fs');
const { connect } = require('node:net');
const now = () => Number(process.hrtime.bigint() / 1_000n) / 1_000;
const tell = (at, forMs) => {
  if (forMs > leastMs)
    appendFileSync(file, JSON.stringify({ at, type: 'machine-stalled', forMs }) + '\\n');
};
let lookedAt = now();
setInterval(() => {
  tell(lookedAt, now() - lookedAt - lookMs);
  lookedAt = now();
}, lookMs);

// PING; or the question whether PostgreSQL speaks TLS, which it answers before all else.
const question = probe?.kind === 'redis' ? 'PING\\r\\n' : Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
for (const port of probe?.ports ?? []) {
  let isAsking = false;
  setInterval(() => {
    if (isAsking) return;
    isAsking = true;
    const askedAt = now();
    const socket = connect(port, '127.0.0.1', () => socket.write(question));
    // One that is not there at all is told of by the fault.
    socket.on('error', () => undefined).on('close', () => (isAsking = false));
    socket.once('data', () => {
      tell(askedAt, now() - askedAt);
      socket.destroy();
    });
  }, askMs);
}
`;

/**
 * Writes down when the machine gives no time to a thread that asks for next to none, or none to the server, past the library:
 * who shares it is as slow. Answers how to end it.
 */
export function watchMachine(file: string, leastMs: number, probe?: Probe): () => Promise<unknown> {
  const thread = new Worker(code, {
    eval: true,
    execArgv: [],
    workerData: { file, leastMs, ...looks, probe },
  });
  thread.unref();
  return () => thread.terminate();
}
