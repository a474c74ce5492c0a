export interface OwnRedis {
  readonly url: string;
  readonly port: number;
  kill(signal: NodeJS.Signals): Promise<void>;
  restart(options?: { isLoading?: boolean }): Promise<void>;
  stop(): Promise<void>;
}

export function startOwnRedis(
  settings: readonly string[],
  options?: { settingsFile?: string; isSecure?: boolean; place?: string },
): Promise<OwnRedis>;
