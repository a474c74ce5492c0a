/** Something to say that stands on no page. */
export interface Notice {
  readonly key: number;
  readonly text: string;
  readonly isBad: boolean;
  readonly link?: { readonly href: string; readonly text: string };
}

const shownMs = 8_000;

export class Notices {
  private list: readonly Notice[] = [];
  private count = 0;
  private readonly listeners = new Set<() => void>();

  get all(): readonly Notice[] {
    return this.list;
  }

  heard(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  say(text: string, link?: Notice['link']): void {
    const key = this.add({ text, link, isBad: false });
    setTimeout(() => this.drop(key), shownMs);
  }

  /** Stays until it is closed. */
  warn(text: string): void {
    this.add({ text, isBad: true });
  }

  drop(key: number): void {
    this.put(this.list.filter((notice) => notice.key !== key));
  }

  private add(notice: Omit<Notice, 'key'>): number {
    const key = ++this.count;
    this.put([...this.list.slice(-3), { ...notice, key }]);
    return key;
  }

  private put(list: readonly Notice[]): void {
    this.list = list;
    for (const listener of this.listeners) listener();
  }
}
