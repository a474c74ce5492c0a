import type { Figure } from './side-by-side/figures.js';
import type { Settings } from './side-by-side/settings.js';

export type StoreName = 'memory' | 'redis' | 'postgres';

/** One of the engines, with what can be measured on it. */
export interface BenchStore {
  readonly name: StoreName;
  readonly measures: readonly string[];
  /** The libraries that can be measured there, ours first. */
  readonly systems: readonly string[];
  /** Makes the measures that the settings ask for, one after the other, and tells of each as soon as it is made. */
  run(settings: Settings, tools: Tools, made: (measured: Measured) => void): Promise<void>;
}

/** What one measure gave, when and on what. */
export interface Measured {
  readonly measure: string;
  /** The day, as in 2026-11-17. */
  readonly date: string;
  readonly rounds: number;
  readonly about: About;
  readonly systems: readonly string[];
  readonly figures: readonly Figure[];
}

/** Machine, versions, settings: by these words. */
export type About = Readonly<Record<string, string>>;

/** What the programs bring that start the benchmarks: servers of their own, and the peers. */
export interface Tools {
  startRedis(): Promise<Server>;
  startPostgres(): Promise<Server>;
  installPeers(): void;
  /** A Node that all peers run on. */
  newerNode(): string;
}

export interface Server {
  readonly url: string;
  stop(): Promise<void>;
}
