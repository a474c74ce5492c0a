/** Of a list that goes on at places, what stands behind an id: read from the beginning up to there. */
export async function behindId<T extends { readonly id: string }>(
  { limit, after: id }: { limit: number; after?: string },
  read: (after: string | undefined) => Promise<{ items: readonly T[]; next?: string }>,
): Promise<T[]> {
  const behind: T[] = [];
  let isBehind = id === undefined;
  let next: string | undefined;
  do {
    const page = await read(next);
    for (const item of page.items) {
      if (isBehind) behind.push(item);
      else isBehind = item.id === id;
    }
    next = page.next;
  } while (next !== undefined && behind.length < limit);
  return behind.slice(0, limit);
}
