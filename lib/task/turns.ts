import * as timers from 'node:timers';

// Taken when the package is loaded: fake timers, which a test may put in the place of the globals, would leave us waiting for good.

/** Calls back when the promise callbacks of this moment are through. */
export const nextTick: typeof process.nextTick = process.nextTick.bind(process);
/** Calls back in the next turn of the event loop. */
export const nextTurn = timers.setImmediate;
/** Calls back after so many real milliseconds, whatever the clock of the application says. */
export const realTimeout = timers.setTimeout;
