export interface OwnPostgres {
  readonly url: string;
  readonly port: number;
  /** Where its data and its log are. */
  readonly folder: string;
  /** SIGINT: the fast shutdown; SIGQUIT: the immediate one; SIGTERM waits for all connections to end. */
  kill(signal: NodeJS.Signals): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** As durable as by default, unless the settings (names of postgresql.conf) say otherwise. */
export function startOwnPostgres(
  settings?: Readonly<Record<string, string | number>>,
  options?: { place?: string; program?: string },
): Promise<OwnPostgres>;

export function processesIn(folder: string): string[];

export function sharedMemoryOf(folder: string): string | undefined;
