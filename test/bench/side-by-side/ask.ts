import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Works } from './child/works.js';

const longestMs = 300_000;

type Args<W extends keyof Works> = Parameters<Works[W]>[1];
type Answer<W extends keyof Works> = Awaited<ReturnType<Works[W]>>;

/** Has a piece of work done by one of the libraries, in a process of its own. */
export type Ask = <W extends keyof Works>(system: string, work: W, args: Args<W>) => Asked<Answer<W>>;

/** A piece of work under way in a process of its own. */
export interface Asked<T> {
  /** Resolves when the work says that it is under way. */
  readonly ready: Promise<void>;
  readonly answer: Promise<T>;
  /** Tells a work that waits for it that it may end; one that has ended by itself does not mind. */
  enough(): void;
}

/** Asks processes of that module (see `child/run-child.ts`) and that Node. */
export function askOf(module: URL, node = process.execPath): Ask {
  return (system, work, args) => {
    const child = fork(fileURLToPath(module), [system, work, JSON.stringify(args)], {
      execPath: node,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), longestMs);
    type Value = Answer<typeof work>;
    let isReady: () => void;
    const ready = new Promise<void>((resolve) => (isReady = resolve));
    const answer = new Promise<Value>((resolve, reject) => {
      let value: Value;
      let isAnswered = false;
      child.on('message', (message: { type: 'ready' } | { type: 'answer'; value: Value }) => {
        if (message.type === 'ready') return isReady();
        value = message.value;
        isAnswered = true;
      });
      // Not before its connections are gone, so that the next one has the server for itself.
      child.once('exit', (code) => {
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
      enough: () => void (child.connected && child.send('enough', () => undefined)),
    };
  };
}
