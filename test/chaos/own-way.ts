import { NetworkProxy, type Silence } from '../support/network-proxy.js';
import { throughPorts, type Stage, type StoreAddress } from './stages/stage.js';

/** The way of one process to its store, by a proxy before each server; it fails as a whole. */
export class OwnWay {
  private constructor(
    /** Where the process finds the store by it. */
    readonly address: StoreAddress,
    private readonly proxies: readonly NetworkProxy[],
  ) {}

  static async to({ address, ports = [] }: Stage): Promise<OwnWay> {
    const proxies = await Promise.all(ports.map((port) => new NetworkProxy(port).open()));
    const through = new Map(ports.map((port, at) => [port, proxies[at]!.port]));
    return new OwnWay(throughPorts(address, through), proxies);
  }

  /** How many connections are half-open now. */
  get held(): number {
    return this.proxies.reduce((sum, { held }) => sum + held, 0);
  }

  /** How many connections were reset in the middle of a reply. */
  get resets(): number {
    return this.proxies.reduce((sum, { resets }) => sum + resets, 0);
  }

  set delayMs(ms: number) {
    for (const proxy of this.proxies) proxy.delayMs = ms;
  }

  hold(silence: Silence): void {
    for (const proxy of this.proxies) proxy.hold(silence);
  }

  pass(): void {
    for (const proxy of this.proxies) proxy.pass();
  }

  cut(): void {
    for (const proxy of this.proxies) proxy.cut();
  }

  resetInReply(): void {
    for (const proxy of this.proxies) proxy.resetInReply();
  }

  async close(): Promise<void> {
    await Promise.all(this.proxies.map((proxy) => proxy.close()));
  }
}
