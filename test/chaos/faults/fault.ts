import type { Seeded } from '../../simulation/seeded.js';
import type { Auditor } from '../auditor.js';
import type { Crew } from '../crew.js';
import type { Notebook } from '../notebook.js';
import type { Pace } from '../pace.js';
import type { BackendName, Stage } from '../stages/stage.js';
import type { Happened } from './happened.js';

/** What a fault can lay hands on. */
export interface Scene {
  readonly crew: Crew;
  readonly stage: Stage;
  readonly auditor: Auditor;
  readonly notebook: Notebook;
  readonly random: Seeded;
  readonly pace: Pace;
  readonly prefix: string;
}

/** Something that goes wrong, once, and is well again when `inject` resolves. */
export interface Fault {
  readonly name: string;
  /** Where it makes sense. */
  readonly backends: readonly BackendName[];
  /** Whether it belongs to the short form, on which backends. */
  readonly short?: readonly BackendName[];
  /** Whether it takes little time, and is tried again and again in the long form. */
  readonly isCheap?: boolean;
  /** It is to cost no lease: no run may be in vain. */
  readonly costsNothing?: boolean;
  /** It hurts the server: the round has its own, made by this where it is a special one. */
  readonly hurtsServer?: boolean;
  openStage?(backend: BackendName): Promise<Stage>;
  /** Each process reaches the store through proxies of its own. */
  readonly isProxied?: boolean;
  /** The version of the jobs that the workers begin with; else the newest. */
  readonly firstVersion?: 1;
  /** How long its workers have to stop, where that is not the usual time. */
  readonly shutdownMs?: number;
  inject(scene: Scene): Promise<void>;
  /** What the history must show, or nothing was tried. */
  readonly happened: Happened;
  /** Why it cannot be tried on this machine. */
  readonly impossible?: string;
}

export const servers: readonly BackendName[] = ['redis', 'redis-cluster', 'postgres'];
