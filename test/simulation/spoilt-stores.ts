import type { Backend, TaskStore } from '../../lib/backend/backend.js';
import type { MemoryQueues } from '../../lib/backend/memory/memory-queues.js';
import type { ScheduleStore } from '../../lib/backend/schedule-store.js';

/** Takes a store that is right, and makes it wrong. */
export type Spoil = (memory: Backend) => Backend;

/** Each breaks one promise of a store; whoever looks must see it. */
export const spoiltStores = {
  'loses what it has acknowledged': withTasks((tasks) => ({
    add: (groups) => {
      const isLost = groups[0]![0]!.id.endsWith('7');
      return isLost ? Promise.resolve(groups.map(all('enqueued'))) : tasks.add(groups);
    },
  })),
  'takes outcomes whatever their epoch': withTasks((tasks, queues) => ({
    settle: (settlements) =>
      tasks.settle(
        settlements.map((one) => ({
          ...one,
          epoch: queues.look(one.queue).tasks.get(one.id)?.epoch ?? one.epoch,
        })),
      ),
  })),
  'does not know a repeat': withTasks((tasks) => ({
    settle: (settlements) => tasks.settle(settlements.map((one) => ({ ...one, repeat: false }))),
  })),
  'takes back what is in good hands': withTasks((tasks) => ({
    claim: (request) => tasks.claim({ ...request, holding: request.holding && [] }),
  })),
  'asks no lock before a run': withTasks((tasks) => ({
    claim: async (request) => {
      const claim = await tasks.claim(request);
      return { ...claim, tasks: claim.tasks.map((task) => ({ ...task, conflictsWith: undefined })) };
    },
  })),
  'fires a slot for everybody who sees it': (memory: Backend): Backend => ({
    ...memory,
    schedules: changed<ScheduleStore>(memory.schedules, {
      advance: async (steps) => {
        const answers = await memory.schedules.advance(steps);
        for (const [at, { task }] of steps.entries())
          if (task && answers[at]!.status === 'lost') await memory.tasks.add([[task]]);
        return answers;
      },
    }),
  }),
} satisfies Record<string, Spoil>;

function withTasks(change: (tasks: TaskStore, queues: MemoryQueues) => Partial<TaskStore>): Spoil {
  return (memory) => {
    const { store } = memory.catalog as unknown as { store: MemoryQueues };
    return { ...memory, tasks: changed(memory.tasks, change(memory.tasks, store)) };
  };
}

function changed<T extends object>(part: T, change: Partial<T>): T {
  return Object.assign(Object.create(part) as T, change);
}

function all(status: 'enqueued') {
  return (group: readonly unknown[]) => group.map(() => ({ status }));
}
