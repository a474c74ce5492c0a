interface ModelSchedule {
  readonly id: string;
  rule: string;
  slot: number;
  firstSlot: number;
  lastSlot?: number;
  lastTask?: string;
  fired: number;
  skipped: number;
  isPaused: boolean;
  declaredAt?: number;
  /** Until when it is left out. */
  deferredUntil: number;
}

/** The schedules of one queue, in the plainest words. Times count from the start of the run. */
export class ScheduleModel {
  now = 0;
  pausedUntil = 0;
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
    when: 'absent' | 'changed' | 'always',
    { rule, isDeclared, slot }: { rule: string; isDeclared: boolean; slot: number },
  ): 'stored' | 'existing' | 'replaced' {
    const found = this.schedules.get(id);
    if (found && when === 'absent') return 'existing';
    if (found && when === 'changed' && found.rule === rule) {
      if (isDeclared) found.declaredAt = this.now;
      found.deferredUntil = -Infinity;
      return 'existing';
    }
    const past = found ?? { id, fired: 0, skipped: 0, isPaused: false };
    const declaredAt = isDeclared ? this.now : undefined;
    this.schedules.set(id, { ...past, rule, slot, firstSlot: slot, declaredAt, deferredUntil: -Infinity });
    return found ? 'replaced' : 'stored';
  }

  step(id: string, span: number | undefined, taskId: string | undefined): boolean {
    const found = this.schedules.get(id);
    if (!found || found.isPaused) return false;
    if (span === undefined) return this.schedules.delete(id);
    found.lastSlot = found.slot;
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

  due(forgetAfterMs: number): { ids: string[]; nextInMs: number } {
    const times = this.inOrder().map((one) => this.lookAt(one));
    if (this.pausedUntil > this.now)
      return { ids: [], nextInMs: Math.max(Math.min(...times), this.pausedUntil) - this.now };
    const due = this.inOrder().filter((one) => this.lookAt(one) <= this.now);
    const isLeft = ({ declaredAt = Infinity }: ModelSchedule) => declaredAt + forgetAfterMs <= this.now;
    for (const one of due.filter(isLeft)) this.schedules.delete(one.id);
    return {
      ids: due
        .filter((one) => !isLeft(one))
        .sort((a, b) => a.slot - b.slot)
        .map(({ id }) => id),
      nextInMs: Math.min(...times.filter((time) => time > this.now)) - this.now,
    };
  }

  declare(id: string): void {
    const found = this.schedules.get(id);
    if (found?.declaredAt !== undefined) found.declaredAt = this.now;
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

  private lookAt({ slot, isPaused, deferredUntil }: ModelSchedule): number {
    return isPaused ? Infinity : Math.max(slot, deferredUntil);
  }
}
