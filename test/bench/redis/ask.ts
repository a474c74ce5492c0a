import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Works } from './child/works.js';
import type { SystemName } from './system.js';

const child = fileURLToPath(new URL('child/child.js', import.meta.url));
const longestMs = 300_000;

type Args<W extends keyof Works> = Parameters<Works[W]>[1];
type Answer<W extends keyof Works> = Awaited<ReturnType<Works[W]>>;

/** A piece of work under way in a process of its own. */
export interface Asked<T> {
  /** Resolves when the work says that it is under way. */
  readonly ready: Promise<void>;
  readonly answer: Promise<T>;
  /** Tells a work that waits for it that it may end. */
  enough(): void;
}

export function ask<W extends keyof Works>(system: SystemName, work: W, args: Args<W>): Asked<Answer<W>> {
  const process = fork(child, [system, work, JSON.stringify(args)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const timer = setTimeout(() => process.kill('SIGKILL'), longestMs);
  let isReady: () => void;
  const ready = new Promise<void>((resolve) => (isReady = resolve));
  const answer = new Promise<Answer<W>>((resolve, reject) => {
    let value: Answer<W>;
    let isAnswered = false;
    process.on('message', (message: { type: 'ready' } | { type: 'answer'; value: Answer<W> }) => {
      if (message.type === 'ready') return isReady();
      value = message.value;
      isAnswered = true;
    });
    // Not before its connections are gone, so that the next one has the server for itself.
    process.once('exit', (code) => {
      clearTimeout(timer);
      if (isAnswered) resolve(value);
      else reject(new Error(`${system} ended its work "${work}" with ${code} and without an answer`));
    });
  });
  const begun = Promise.race([ready, answer.then(() => undefined)]);
  // Who does not wait for it hears of the failure by the answer.
  begun.catch(() => undefined);
  return {
    ready: begun,
    answer,
    enough: () => void process.send('enough'),
  };
}
