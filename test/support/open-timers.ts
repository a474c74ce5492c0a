import { AsyncLocalStorage, createHook } from 'node:async_hooks';

/**
 * Tells how many timers are open that a piece of a test, or whatever follows from it, has set. Those of the process are no
 * measure: the test runner sets some of its own, which come and go meanwhile.
 */
export async function watchingTimers<T>(act: (open: () => number) => Promise<T>): Promise<T> {
  const within = new AsyncLocalStorage<boolean>();
  const timers = new Map<number, NodeJS.Timeout>();
  const hook = createHook({
    init(id, type, _trigger, resource) {
      if (type === 'Timeout' && within.getStore()) timers.set(id, resource as NodeJS.Timeout);
    },
    // It has fired, or was cleared.
    destroy(id) {
      timers.delete(id);
    },
  }).enable();
  const open = () => [...timers.values()].filter((timer) => timer.hasRef()).length;
  try {
    return await within.run(true, () => act(open));
  } finally {
    hook.disable();
  }
}
