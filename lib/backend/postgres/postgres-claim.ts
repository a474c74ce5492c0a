/** What an exchange answers: letters and nexts, then the tasks. */
export type ExchangeAnswer = [[letters: string, ...nexts: string[]], ...tasks: string[][]];

/** Behind it may stand an edge. */
export function readNext(next: string): number {
  const inMs = Number.parseInt(next, 10);
  return Number.isNaN(inMs) ? Infinity : inMs;
}

export function idsByQueue(
  refs: readonly { readonly queue: string; readonly id: string }[],
): Record<string, string[]> {
  const ids: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (const { queue, id } of refs) (ids[queue] ??= []).push(id);
  return ids;
}
