/** The same object with another part; without it where that is undefined. */
export function withPart(whole: object, name: string, part: unknown): Record<string, unknown> {
  const others = Object.entries(whole).filter(([other]) => other !== name);
  return Object.fromEntries(part === undefined ? others : [...others, [name, part]]);
}
