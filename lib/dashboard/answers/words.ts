const units: readonly [ms: number, unit: string][] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
];

/** A span as one says it: `3 hours`, `1 minute`. */
export function spanWords(ms: number): string {
  const [size, unit] = units.find(([size]) => ms >= size) ?? [1, 'millisecond'];
  const amount = Math.floor(ms / size);
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
}

/** `1 task`, `1,200 tasks`. */
export function tasksWords(count: number): string {
  return `${count.toLocaleString('en')} task${count === 1 ? '' : 's'}`;
}
