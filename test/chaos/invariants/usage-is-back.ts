import type { HistoryEvent } from '../../history/history-event.js';
import type { Invariant } from '../../history/violation.js';

type Usage = HistoryEvent & { type: 'usage' };

/** A node of a cluster that was not asked before may be asked now. */
const moreSockets = 8;
const moreHeapMb = 32;

/** The most that somebody has grown by who was there before and after. */
export function growthIn(history: readonly HistoryEvent[]): { heapMb: number; sockets: number } | undefined {
  const usages = history.filter((event) => event.type === 'usage');
  const grown = usages.flatMap((after) => {
    const before = usages.find(({ process, when }) => process === after.process && when === 'before');
    return before && after.when === 'after'
      ? [{ heapMb: after.heapMb - before.heapMb, sockets: after.sockets - before.sockets }]
      : [];
  });
  if (grown.length === 0) return undefined;
  const most = (of: 'heapMb' | 'sockets') => Math.max(...grown.map((one) => one[of]));
  return { heapMb: most('heapMb'), sockets: most('sockets') };
}

/** Who has lived through a fault holds no more memory and sockets than before it, but for some. */
export const usageIsBack: Invariant = (history, complain) => {
  const before = new Map<string, Usage>();
  for (const event of history) {
    if (event.type !== 'usage') continue;
    if (event.when === 'before') before.set(event.process, event);
    const first = before.get(event.process);
    if (!first || event.when === 'before') continue;
    if (event.sockets > first.sockets + moreSockets)
      complain(event, `${event.process} had ${first.sockets} sockets, and now has ${event.sockets}`);
    if (event.heapMb > first.heapMb + moreHeapMb)
      complain(event, `${event.process} had ${first.heapMb} MB in use, and now has ${event.heapMb}`);
  }
};
