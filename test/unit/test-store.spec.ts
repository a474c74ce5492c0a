import { describe, expect, it } from '@jest/globals';
import type { Backend } from '../../lib/backend/backend.js';
import { memoryBackend } from '../../lib/backend/memory/memory-backend.js';
import { Ledger } from '../../lib/testing/ledger.js';
import { over } from '../../lib/testing/over.js';
import { allShut, TestStore } from '../../lib/testing/test-store.js';
import { VirtualClock } from '../../lib/testing/virtual-clock.js';
import type { NewTask } from '../../lib/task/task-record.js';

function stage() {
  const clock = new VirtualClock(1_000_000);
  const memory = memoryBackend({ clock });
  const handedBack: string[] = [];
  const inner: Backend = over<Backend>(memory, {
    tasks: over(memory.tasks, {
      settle: (settlements) => {
        for (const { id, outcome } of settlements) if (outcome.type === 'handed-back') handedBack.push(id);
        return memory.tasks.settle(settlements);
      },
    }),
  });
  const watch = { used: async () => undefined, ended: () => undefined };
  const store = new TestStore(inner, new Ledger(() => undefined), clock, allShut, undefined, watch);
  const add = (ids: readonly string[]) => store.backend.tasks.add(ids.map((id) => [taskOf(id)]));
  return { store, handedBack, add };
}

function taskOf(id: string): NewTask {
  return {
    queue: 'q',
    id,
    token: id,
    job: 'J',
    params: '',
    extra: undefined,
    priority: 0,
    due: { inMs: 0 },
    retries: 0,
    expires: undefined,
    keepMs: undefined,
    replace: false,
    lock: undefined,
  };
}

describe('A task that is taken out of its turn', () => {
  it('is found behind others, which stay where they are', async () => {
    const { store, handedBack, add } = stage();
    await add(['a', 'b', 'c', 'd', 'e']);
    expect(await store.take({ queue: 'q', id: 'd' }, 1_000)).toMatchObject({ id: 'd', attempt: 1 });
    expect(handedBack).toEqual(expect.arrayContaining(['a', 'b', 'c']));
    expect(await store.inner.catalog.counts('q')).toMatchObject({ waiting: 4, pending: 1 });
    expect(await store.take({ queue: 'q', id: 'a' }, 1_000)).toMatchObject({ id: 'a', attempt: 1 });
    expect(await store.take({ queue: 'q', id: 'nobody' }, 1_000)).toBeUndefined();
    expect(await store.inner.catalog.counts('q')).toMatchObject({ waiting: 3, pending: 2 });
  });

  it('costs nothing for those behind it: a bulk is run one by one', async () => {
    const { store, handedBack, add } = stage();
    const ids = Array.from({ length: 100 }, (_, index) => `task-${String(index).padStart(3, '0')}`);
    await add(ids);
    for (const id of ids) expect(await store.take({ queue: 'q', id }, 1_000)).toMatchObject({ id });
    expect(handedBack).toEqual([]);
  });
});
