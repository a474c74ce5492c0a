import { Redis } from 'ioredis';

/** What passed between the two edges of a measure. */
export interface Passed {
  readonly seconds: number;
  readonly nodeCpuSeconds: number;
  readonly serverCpuSeconds: number;
}

interface Edge {
  readonly at: number;
  readonly cpu: NodeJS.CpuUsage;
  readonly serverCpu: Promise<number>;
}

/**
 * The part of a process's work that counts. The server is asked for its CPU time at both edges; whoever counts commands
 * (see the parent's `Monitor`) takes that question for the mark of the edge.
 */
export class Window {
  private from: Edge | undefined;
  private to: Edge | undefined;

  private constructor(private readonly probe: Redis) {}

  static async of(url: string): Promise<Window> {
    const probe = new Redis(url, { lazyConnect: true });
    await probe.connect();
    return new Window(probe);
  }

  begin(): void {
    this.from = this.edge();
  }

  end(): void {
    this.to = this.edge();
  }

  async passed(): Promise<Passed> {
    const { from, to } = this;
    if (!from || !to) throw new Error('the measure has not begun, or not ended');
    const { user, system } = { user: to.cpu.user - from.cpu.user, system: to.cpu.system - from.cpu.system };
    const passed = {
      seconds: (to.at - from.at) / 1_000,
      nodeCpuSeconds: (user + system) / 1e6,
      serverCpuSeconds: (await to.serverCpu) - (await from.serverCpu),
    };
    this.probe.disconnect();
    return passed;
  }

  private edge(): Edge {
    return { at: performance.now(), cpu: process.cpuUsage(), serverCpu: this.askServerCpu() };
  }

  private async askServerCpu(): Promise<number> {
    const info = await this.probe.info('cpu');
    const of = (field: string) => Number(new RegExp(`^${field}:([\\d.]+)`, 'm').exec(info)![1]);
    return of('used_cpu_user') + of('used_cpu_sys');
  }
}
