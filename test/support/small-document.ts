/** As much of a document as Preact needs to draw texts into elements. */
class SmallNode {
  parentNode: SmallNode | null = null;
  readonly childNodes: SmallNode[] = [];
  readonly attributes: unknown[] = [];
  readonly style = {};
  readonly ownerDocument = smallDocument;

  constructor(
    readonly nodeType: number,
    readonly localName: string,
    public data = '',
  ) {}

  get firstChild(): SmallNode | null {
    return this.childNodes[0] ?? null;
  }

  get nextSibling(): SmallNode | null {
    const siblings = this.parentNode?.childNodes ?? [];
    return siblings[siblings.indexOf(this) + 1] ?? null;
  }

  get textContent(): string {
    return this.nodeType === 3 ? this.data : this.childNodes.map((child) => child.textContent).join('');
  }

  insertBefore(child: SmallNode, before: SmallNode | null): SmallNode {
    child.remove();
    const at = before ? this.childNodes.indexOf(before) : this.childNodes.length;
    this.childNodes.splice(at, 0, child);
    child.parentNode = this;
    return child;
  }

  appendChild(child: SmallNode): SmallNode {
    return this.insertBefore(child, null);
  }

  removeChild(child: SmallNode): SmallNode {
    this.childNodes.splice(this.childNodes.indexOf(child), 1);
    child.parentNode = null;
    return child;
  }

  remove(): void {
    this.parentNode?.removeChild(this);
  }

  setAttribute(): void {}
  removeAttribute(): void {}
  addEventListener(): void {}
  removeEventListener(): void {}
}

export const smallDocument = {
  createElement: (name: string) => new SmallNode(1, name),
  createElementNS: (_: string, name: string) => new SmallNode(1, name),
  createTextNode: (text: string) => new SmallNode(3, '#text', text),
};
