import type { Seeded } from './seeded.js';
import type { World } from './world.js';

const names = ['setImmediate', 'setTimeout', 'setInterval'] as const;

/**
 * Runs `work` with the globals by which code reaches real time and real chance put in the place of virtual ones; whoever sets a
 * real timer is told off. What is asked for belongs to the loop whose step it is.
 */
export async function virtualGlobals<T>(world: World, random: Seeded, work: () => Promise<T>): Promise<T> {
  const kept = names.map((name) => [name, globalThis[name]] as const);
  const { now } = Date;
  const elapsed = performance.now;
  const { random: chance } = Math;
  const { stackTraceLimit } = Error;
  const replace = globalThis as unknown as Record<string, unknown>;
  const refuse = (name: string) => () => {
    throw new Error(`${name} is real time: a simulation must not depend on it`);
  };
  replace.setTimeout = refuse('setTimeout');
  replace.setInterval = refuse('setInterval');
  replace.setImmediate = (run: () => void) =>
    world.after(random.between(0.01, 0.2), run, world.current, 'immediate');
  Date.now = () => world.now;
  performance.now = () => world.now;
  Math.random = () => random.next();
  // Most errors are simulated, and nobody reads where they came from.
  Error.stackTraceLimit = 0;
  try {
    return await work();
  } finally {
    for (const [name, value] of kept) replace[name] = value;
    Date.now = now;
    performance.now = elapsed;
    Math.random = chance;
    Error.stackTraceLimit = stackTraceLimit;
  }
}
