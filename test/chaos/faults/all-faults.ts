import type { Fault } from './fault.js';
import { killOne } from './kill-one.js';

/** Every fault that is injected, one at a time. */
export const allFaults: readonly Fault[] = [killOne];
