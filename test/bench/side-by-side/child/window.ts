/** What passed between the two edges of a measure. */
export interface Passed {
  readonly seconds: number;
  readonly nodeCpuSeconds: number;
  readonly serverCpuSeconds: number;
  /** What the server wrote to its log before it answered, where it has one. */
  readonly logBytes: number | undefined;
}

/** What the server has used since it started. */
export interface Reading {
  readonly cpuSeconds: number;
  readonly logBytes?: number;
}

/** Reads the server's own counts, past the library under measure. */
export interface Probe {
  read(): Promise<Reading>;
  close(): void;
}
export type OpenProbe = (url: string) => Promise<Probe>;

interface Edge {
  readonly at: number;
  readonly cpu: NodeJS.CpuUsage;
  readonly server: Promise<Reading>;
}

/** The part of a process's work that counts. The server is asked for its counts at both edges. */
export class Window {
  private from: Edge | undefined;
  private to: Edge | undefined;

  constructor(private readonly probe: Probe) {}

  begin(): void {
    this.from = this.edge();
  }

  end(): void {
    this.to = this.edge();
  }

  async passed(): Promise<Passed> {
    const { from, to } = this;
    if (!from || !to) throw new Error('the measure has not begun, or not ended');
    const [before, after] = [await from.server, await to.server];
    this.probe.close();
    return {
      seconds: (to.at - from.at) / 1_000,
      nodeCpuSeconds: (to.cpu.user - from.cpu.user + to.cpu.system - from.cpu.system) / 1e6,
      serverCpuSeconds: after.cpuSeconds - before.cpuSeconds,
      logBytes: after.logBytes === undefined ? undefined : after.logBytes - before.logBytes!,
    };
  }

  private edge(): Edge {
    return { at: performance.now(), cpu: process.cpuUsage(), server: this.probe.read() };
  }
}
