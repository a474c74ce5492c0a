export type Arguments = (string | number)[];

/** Arguments grouped by queue, each group behind its count (and its queue's number in the call); `order` says which item stands where. */
export function byQueue<T extends { readonly queue: string }>(
  items: readonly T[],
  write: (item: T) => (string | number)[],
  isNumbered?: 'numbered',
): { names: string[]; args: Arguments; order: number[] } {
  const groups = new Map<string, number[]>();
  items.forEach(({ queue }, index) => {
    const group = groups.get(queue);
    if (group) group.push(index);
    else groups.set(queue, [index]);
  });
  const args: Arguments = [];
  let number = 0;
  for (const indexes of groups.values()) {
    if (isNumbered) args.push(++number);
    args.push(indexes.length);
    for (const index of indexes) for (const word of write(items[index]!)) args.push(word);
  }
  return { names: [...groups.keys()], args, order: [...groups.values()].flat() };
}
