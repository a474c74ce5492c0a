import type { Invariant } from '../violation.js';

/** However many processes fire a slot, it makes one task; and each slot is counted once, as fired or as skipped. */
export const oneTaskPerSlot: Invariant = (history, complain) => {
  const bySlot = new Map<string, string>();
  const fired = new Map<string, number>();
  for (const event of history) {
    if ((event.type === 'stored' || event.type === 'listed') && event.slot !== undefined) {
      const schedule = `${event.queue}/${event.schedule}`;
      const slot = `${schedule} at ${event.slot}`;
      const other = bySlot.get(slot);
      if (other !== undefined && other !== event.id)
        complain(event, `slot ${slot} has the tasks ${other} and ${event.id}`);
      if (other === undefined) fired.set(schedule, (fired.get(schedule) ?? 0) + 1);
      bySlot.set(slot, event.id);
    }
    if (event.type !== 'schedule' || event.lastSlot === undefined) continue;
    const slots = Math.floor((event.lastSlot - event.firstSlot) / event.everyMs) + 1;
    const name = `${event.queue}/${event.id}`;
    if (event.fired + event.skipped !== slots)
      complain(
        event,
        `schedule ${name} passed ${slots} slots: ${event.fired} fired, ${event.skipped} skipped`,
      );
    if (event.fired !== (fired.get(name) ?? 0))
      complain(event, `schedule ${name} counts ${event.fired} tasks, but made ${fired.get(name) ?? 0}`);
  }
};
