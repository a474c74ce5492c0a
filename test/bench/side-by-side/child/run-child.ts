import type { Line, Stage, Systems } from './stage.js';
import type { OpenProbe } from './window.js';
import { works } from './works.js';

/**
 * Does in this process, for one library, the one piece of work that `askOf` asked for, so that heaps and compiled code do not
 * mix.
 */
export async function runChild(systems: Systems, openProbe: OpenProbe): Promise<void> {
  const [systemName, workName, argsText] = process.argv.slice(2) as [string, keyof typeof works, string];
  const line: Line = {
    ready: () => void process.send!({ type: 'ready' }),
    enough: new Promise((resolve) => process.once('message', () => resolve())),
  };
  // Whoever started us is gone: nobody waits for the answer.
  process.once('disconnect', () => process.exit(1));

  type Work = (stage: Stage, args: unknown, line: Line) => Promise<unknown>;
  const stage = { system: await systems[systemName]!(), openProbe };
  const value = await (works[workName] as Work)(stage, JSON.parse(argsText), line);
  process.send!({ type: 'answer', value }, () => process.exit(0));
}
