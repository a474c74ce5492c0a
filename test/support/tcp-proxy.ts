import { afterEach } from '@jest/globals';
import { NetworkProxy } from './network-proxy.js';

export type { Silence } from './network-proxy.js';

const proxies: TcpProxy[] = [];
afterEach(async () => {
  for (const proxy of proxies.splice(0)) await proxy.close();
});

/** Stands between the application of a test and its server. Closed after the test. */
export class TcpProxy extends NetworkProxy {
  static async to(targetPort: number): Promise<TcpProxy> {
    const proxy = await new TcpProxy(targetPort).open();
    proxies.push(proxy);
    return proxy;
  }
}
