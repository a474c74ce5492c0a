/** What a heap keeps in a member: where it stands, so that it can be taken out of the middle. */
export interface HeapMember {
  position: number;
}

/**
 * A binary heap from which any member can be removed in O(log n). Written by hand because the packages of this kind
 * find a member by scanning. A member may be in one heap at a time.
 */
export class Heap<T extends HeapMember> {
  private readonly members: T[] = [];

  constructor(private readonly isBefore: (a: T, b: T) => boolean) {}

  get size(): number {
    return this.members.length;
  }

  peek(): T | undefined {
    return this.members[0];
  }

  push(member: T): void {
    this.members.push(member);
    this.rise(member, this.members.length - 1);
  }

  pop(): T | undefined {
    const first = this.members[0];
    if (first) this.remove(first);
    return first;
  }

  remove(member: T): void {
    const { position } = member;
    const last = this.members.pop()!;
    member.position = -1;
    if (last === member) return;
    this.sink(last, position);
    this.rise(last, last.position);
  }

  /** Puts a member right whose order has changed. */
  moved(member: T): void {
    this.sink(member, member.position);
    this.rise(member, member.position);
  }

  /** All members in order; a copy. */
  sorted(): T[] {
    return [...this.members].sort((a, b) => (this.isBefore(a, b) ? -1 : this.isBefore(b, a) ? 1 : 0));
  }

  private rise(member: T, from: number): void {
    const { members, isBefore } = this;
    let at = from;
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      const parent = members[parentAt]!;
      if (!isBefore(member, parent)) break;
      members[at] = parent;
      parent.position = at;
      at = parentAt;
    }
    members[at] = member;
    member.position = at;
  }

  private sink(member: T, from: number): void {
    const { members, isBefore } = this;
    const { length } = members;
    let at = from;
    for (;;) {
      let childAt = 2 * at + 1;
      if (childAt >= length) break;
      if (childAt + 1 < length && isBefore(members[childAt + 1]!, members[childAt]!)) childAt++;
      const child = members[childAt]!;
      if (!isBefore(child, member)) break;
      members[at] = child;
      child.position = at;
      at = childAt;
    }
    members[at] = member;
    member.position = at;
  }
}
