interface ModelSchedule {
  readonly id: string;
  rule: string;
  template: string;
  slot: number;
  firstSlot: number;
  lastSlot?: number;
  lastTask?: string;
  fired: number;
  skipped: number;
  isPaused: boolean;
  version: number;
  declaredAt?: number;
  /** Until when it is left out. */
  deferredUntil: number;
}

interface ModelPut {
  readonly rule: string;
  readonly template: string;
  readonly isDeclared: boolean;
  readonly slot: number;
  /** Whether the slot was said as the moment of the put. */
  readonly isNow: boolean;
}

/** The schedules of one queue, in the plainest words. Times count from the start of the run. */
export class ScheduleModel {
  now = 0;
  pausedUntil = 0;
  private versions = 0;
  private readonly stored = new Map<number, number>();
  readonly schedules = new Map<string, ModelSchedule>();

  constructor(readonly startedAt: number) {}

  inOrder(): ModelSchedule[] {
    return [...this.schedules.values()].sort(
      (a, b) =>
        (this.lookAt(a) === this.lookAt(b) ? 0 : this.lookAt(a) - this.lookAt(b)) || (a.id < b.id ? -1 : 1),
    );
  }

  put(
    id: string,
    when: 'absent' | 'replace',
    { rule, template, isDeclared, slot, isNow }: ModelPut,
  ): 'stored' | 'existing' | 'replaced' | 'passed' {
    const found = this.schedules.get(id);
    if (found && when === 'absent') return 'existing';
    if (found?.rule === rule) {
      if (found.template !== template) found.version = ++this.versions;
      if (isDeclared) found.declaredAt = this.now;
      Object.assign(found, { template, deferredUntil: -Infinity });
      return 'existing';
    }
    if (found?.lastSlot !== undefined && !isNow && slot <= found.lastSlot) return 'passed';
    const past = found ?? { id, fired: 0, skipped: 0, isPaused: false };
    const fresh = { rule, template, slot, firstSlot: slot, version: ++this.versions };
    const declaredAt = isDeclared ? this.now : undefined;
    this.schedules.set(id, { ...past, ...fresh, declaredAt, deferredUntil: -Infinity });
    return found ? 'replaced' : 'stored';
  }

  step(id: string, span: number | undefined, passes: number, taskId: string | undefined): boolean {
    const found = this.schedules.get(id);
    if (!found || found.isPaused) return false;
    if (span === undefined) return this.schedules.delete(id);
    found.lastSlot = Math.max(found.lastSlot ?? -Infinity, found.slot + passes);
    found.slot += span;
    found.deferredUntil = -Infinity;
    found.skipped++;
    if (taskId !== undefined) found.fired++;
    found.lastTask = taskId ?? found.lastTask;
    return true;
  }

  defer(id: string, forMs: number): void {
    const found = this.schedules.get(id);
    if (found && !found.isPaused) found.deferredUntil = this.now + forMs;
  }

  due(skip: number): { ids: string[]; nextInMs: number } {
    const times = this.inOrder().map((one) => this.lookAt(one));
    if (this.pausedUntil > this.now)
      return { ids: [], nextInMs: Math.max(Math.min(...times), this.pausedUntil) - this.now };
    const due = this.inOrder().filter((one) => this.lookAt(one) <= this.now);
    return {
      ids: due.slice(skip).map(({ id }) => id),
      nextInMs: Math.min(...times.filter((time) => time > this.now)) - this.now,
    };
  }

  declare(id: string): boolean {
    const found = this.schedules.get(id);
    if (found?.declaredAt !== undefined) found.declaredAt = this.now;
    return found !== undefined;
  }

  pause(id: string): boolean {
    const found = this.schedules.get(id);
    if (found) Object.assign(found, { isPaused: true, deferredUntil: -Infinity });
    return found !== undefined;
  }

  resume(id: string, span: number): boolean {
    const found = this.schedules.get(id);
    if (!found?.isPaused) return false;
    Object.assign(found, { isPaused: false, slot: found.slot + span });
    return true;
  }

  /** What the store calls a version: always the same, and nothing that it has called another. */
  storesVersion(version: number, called: number | undefined): number | undefined {
    const others = [...this.stored].filter(([other]) => other !== version).map(([, name]) => name);
    if (called === undefined || others.includes(called)) return this.stored.get(version);
    if (!this.stored.has(version)) this.stored.set(version, called);
    return this.stored.get(version);
  }

  private lookAt({ slot, isPaused, deferredUntil }: ModelSchedule): number {
    return isPaused ? Infinity : Math.max(slot, deferredUntil);
  }
}
