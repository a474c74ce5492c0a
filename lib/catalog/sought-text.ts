/** What somebody searches for, in capital letters or not. */
export interface SoughtText {
  isIn(this: void, part: string | undefined): boolean;
  /** In a stored value, as one reads it or as it is stored: there a quote, a backslash or a line break is written otherwise. */
  isInJson(this: void, part: string | undefined): boolean;
}

export function soughtText(text: string): SoughtText {
  const read = text.toLowerCase();
  const written = JSON.stringify(read).slice(1, -1);
  const isIn = (part: string | undefined) => part !== undefined && part.toLowerCase().includes(read);
  if (written === read) return { isIn, isInJson: isIn };
  return { isIn, isInJson: (part) => isIn(part) || (part?.toLowerCase().includes(written) ?? false) };
}
