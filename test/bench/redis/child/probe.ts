import { Redis } from 'ioredis';
import type { OpenProbe } from '../../side-by-side/child/window.js';

/** Whoever counts commands (see the parent's `Monitor`) takes this question for the mark of an edge. */
export const openProbe: OpenProbe = async (url) => {
  const probe = new Redis(url, { lazyConnect: true });
  await probe.connect();
  return {
    async read() {
      const info = await probe.info('cpu');
      const of = (field: string) => Number(new RegExp(`^${field}:([\\d.]+)`, 'm').exec(info)![1]);
      return { cpuSeconds: of('used_cpu_user') + of('used_cpu_sys') };
    },
    close: () => probe.disconnect(),
  };
};
