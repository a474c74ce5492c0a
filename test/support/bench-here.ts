import type { Ask, Asked } from '../bench/side-by-side/ask.js';
import type { Line, Stage, Systems } from '../bench/side-by-side/child/stage.js';
import type { OpenProbe } from '../bench/side-by-side/child/window.js';
import { works } from '../bench/side-by-side/child/works.js';
import type { Figure } from '../bench/side-by-side/figures.js';
import type { Settings } from '../bench/side-by-side/settings.js';

/** Next to nothing of everything, without the peers, which would have to be downloaded. */
export const tiny = (systems: readonly string[]): Settings => ({
  only: [],
  systems,
  rounds: 1,
  form: 'tiny',
});

/** Has a piece of work done in this process: a benchmark without processes of its own, and without a build. */
export function askHere(systems: Systems, openProbe: OpenProbe): Ask {
  type Work = (stage: Stage, args: unknown, line: Line) => Promise<unknown>;
  return ((systemName, workName, args) => {
    let tellReady!: () => void;
    let enough!: () => void;
    const ready = new Promise<void>((resolve) => (tellReady = resolve));
    const line = { ready: tellReady, enough: new Promise<void>((resolve) => (enough = resolve)) };
    const answer = (async () => {
      const stage = { system: await systems[systemName]!(), openProbe };
      return (works[workName] as Work)(stage, JSON.parse(JSON.stringify(args)), line);
    })();
    const begun = Promise.race([ready, answer.then(() => undefined)]);
    begun.catch(() => undefined);
    return { ready: begun, answer, enough } satisfies Asked<unknown>;
  }) as Ask;
}

/** What of a figure cannot be, of any form and on any machine; nothing, if it can. */
export function faultsOf({ work, unit, values, spread }: Figure): string[] {
  // So short a round may take no whole tick of the server's CPU time, send nothing, and be late by no millisecond.
  const mayBeNone = !['tasks/s', 'share'].includes(unit);
  const isPossible = (value: number) => Number.isFinite(value) && (mayBeNone ? value >= 0 : value > 0);
  const all = Object.entries(values);
  const faults = all.filter(([system, value]) => {
    const [low, high] = spread?.[system] ?? [value, value];
    return !isPossible(value) || low > value || high < value;
  });
  return [
    ...faults.map(([system, value]) => `${work}, ${system}: ${value} ${unit}`),
    ...(all.length === 0 ? [`${work}: measured for nobody`] : []),
  ];
}
