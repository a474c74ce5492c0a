import type { System } from '../system.js';
import type { OpenProbe } from './window.js';

/** The library that works, and how its server is asked for its counts. */
export interface Stage {
  readonly system: System;
  readonly openProbe: OpenProbe;
}

/** The libraries, each loaded only in a process that works with it. */
export type Systems = Readonly<Record<string, () => Promise<System>>>;

/** How a work speaks with the process that asked for it. */
export interface Line {
  /** Says that the work is under way. */
  ready(): void;
  /** Resolves when the asker has seen enough. */
  readonly enough: Promise<void>;
}

export interface Place {
  readonly url: string;
  readonly queue: string;
}
