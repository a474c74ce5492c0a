/** Colours that are told apart on a light and on a dark page, by the reader's setting. */
const style = `
  svg { font: 12px system-ui, -apple-system, 'Segoe UI', sans-serif; }
  .page { fill: #ffffff; } text { fill: #1f2328; }
  .title { font-size: 17px; font-weight: 600; } .work, .own { font-weight: 600; }
  .note { fill: #59636e; font-size: 11px; }
  .ours { fill: #d6336c; } .peer { fill: #8b9bb0; } .raw { fill: none; stroke: #8b9bb0; stroke-dasharray: 3 2; }
  .spread { stroke: #1f2328; }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117; } text { fill: #e6edf3; }
    .note { fill: #9198a1; }
    .ours { fill: #f06595; } .peer { fill: #6b7a90; } .raw { fill: none; stroke: #9aa8bb; }
    .spread { stroke: #e6edf3; }
  }`;

type Kind = 'title' | 'work' | 'own' | 'name' | 'value' | 'note';

/** A picture that grows downwards as it is drawn. */
export class Drawing {
  private readonly parts: string[] = [];

  constructor(
    private readonly width: number,
    private readonly label: string,
  ) {}

  text(x: number, y: number, text: string, kind: Kind): void {
    this.parts.push(`<text x="${at(x)}" y="${at(y)}" class="${kind}">${escaped(text)}</text>`);
  }

  rect(x: number, y: number, width: number, height: number, kind: string): void {
    this.parts.push(
      `<rect x="${at(x)}" y="${at(y)}" width="${at(Math.max(width, 1))}" height="${at(height)}" rx="2" class="${kind}"/>`,
    );
  }

  /** A horizontal line with an end on each side. */
  line(from: number, to: number, y: number): void {
    const [left, right] = [at(from), at(to)];
    this.parts.push(
      `<path d="M${left} ${at(y)}H${right}M${left} ${at(y - 3)}v6M${right} ${at(y - 3)}v6" class="spread"/>`,
    );
  }

  end(height: number): string {
    const size = `width="${this.width}" height="${at(height)}" viewBox="0 0 ${this.width} ${at(height)}"`;
    return [
      `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="${escaped(this.label)}">`,
      `<style>${style}\n</style>`,
      `<rect class="page" width="100%" height="100%"/>`,
      ...this.parts,
      '</svg>\n',
    ].join('\n');
  }
}

/** Lines of no more than so many characters. */
export function wrapped(text: string, length: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= length)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function at(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
