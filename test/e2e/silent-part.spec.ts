import { describe, expect, it } from '@jest/globals';
import { Job, LeaseLostError, type RunnerOptions, type Task } from 'nestjs-jobs';
import { settled } from '../support/app.js';
import { gate } from './fixtures/gate.js';
import { PartedStore } from './fixtures/parted-store.js';
import { start } from './fixtures/start.js';

const second = 1_000;

/** An application with two queues, each in a part of the store of its own, whose tasks end when their gate opens. */
async function startParted(runner: RunnerOptions = {}, end = { here: gate(), there: gate() }) {
  const parted = new PartedStore();
  const began: string[] = [];
  const aborts: { id: string; at: number; reason: unknown }[] = [];
  const begin = (task: Task) => {
    began.push(task.id);
    task.signal.addEventListener('abort', () =>
      aborts.push({ id: task.id, at: app.now(), reason: task.signal.reason }),
    );
  };
  @Job({ queue: 'here', keep: '1h' })
  class Here {
    run(_: void, task: Task): Promise<void> {
      begin(task);
      return end.here.opened;
    }
  }
  @Job({ queue: 'there', keep: '1h' })
  class There {
    run(_: void, task: Task): Promise<void> {
      begin(task);
      return end.there.opened;
    }
  }
  const app = await start({ providers: [Here, There], before: parted.before, options: { runner } });
  await app.advance(0);
  const here = (id: string) => app.jobs.enqueue(Here, undefined, { id });
  const there = (id: string) => app.jobs.enqueue(There, undefined, { id });
  const stateOf = async (queue: string, id: string) => (await app.store.catalog.get({ queue, id }))?.state;
  return { ...app, Here, There, parted, began, aborts, end, here, there, stateOf };
}

describe('A part of the store that is silent', () => {
  it('is asked again with growing pauses, while the queues of other parts go on at once', async () => {
    const { parted, began, end, here, there, advance, lines } = await startParted();
    end.here.open();
    end.there.open();
    await there('t');
    parted.silent.add('there');
    await advance(0);
    parted.asked.length = 0;
    for (let n = 0; n < 100; n++) {
      await here(`h${n}`);
      await advance(0);
      expect(began).toContain(`h${n}`);
      await advance(600);
    }
    const askedThere = parted.asked.filter((queue) => queue === 'there').length;
    expect(askedThere).toBeGreaterThan(5);
    expect(askedThere).toBeLessThan(30);
    const warnings = lines.filter(({ context, level }) => context === 'JobRunner' && level === 'warn');
    expect(warnings).toEqual([
      expect.objectContaining({ message: expect.stringMatching(/for there.*no word from there/) }),
    ]);
    expect(began).not.toContain('t');
    parted.silent.clear();
    await advance(5 * second);
    expect(began).toContain('t');
  });

  it('that claimed without a word has its tasks handed back when it speaks again; they cost no attempt', async () => {
    const { parted, began, end, advance, stateOf, store } = await startParted();
    end.there.open();
    parted.isDoing = true;
    parted.silent.add('there');
    // Enqueued past the application, whose calls would wait.
    await store.tasks.add([
      [
        {
          ...{ queue: 'there', id: 't', token: 't', job: 'There', params: 'null', priority: 0 },
          ...{ due: { inMs: 0 }, retries: 0, keepMs: 3_600_000 },
        },
      ],
    ]);
    await advance(0);
    expect(await stateOf('there', 't')).toBe('pending');
    expect(began).toEqual([]);
    parted.silent.clear();
    await advance(5 * second);
    expect(began).toEqual(['t']);
    expect(await store.catalog.get({ queue: 'there', id: 't' })).toMatchObject({
      state: 'succeeded',
      attempt: 1,
      failures: 0,
    });
  });

  it.each([
    ['did not take', false],
    ['took', true],
  ])('and %s an outcome is offered it again, and the slot stays taken until then', async (_, isDoing) => {
    const { parted, began, end, here, there, advance, stateOf } = await startParted({ concurrency: 2 });
    end.here.open();
    await there('t1');
    await there('t2');
    await advance(0);
    expect(began).toEqual(['t1', 't2']);
    parted.silent.add('there');
    parted.isDoing = isDoing;
    end.there.open();
    await advance(0);
    await here('h1');
    await advance(second);
    // The slots are not free before their outcomes are stored.
    expect(began).toEqual(['t1', 't2']);
    await advance(10 * second);
    expect(parted.offered.length).toBeLessThan(20);
    parted.silent.clear();
    await advance(5 * second);
    expect(await stateOf('there', 't1')).toBe('succeeded');
    expect(await stateOf('there', 't2')).toBe('succeeded');
    expect(parted.offered).toContain('t1 repeat');
    expect(await stateOf('here', 'h1')).toBe('succeeded');
    expect(began).toEqual(['t1', 't2', 'h1']);
  });

  it('costs only its own tasks their leases: their signals abort in time, the others are renewed', async () => {
    const { parted, aborts, end, here, there, advance, now, stateOf, began } = await startParted();
    await there('t');
    await here('h');
    await advance(0);
    const beganAt = now();
    parted.silent.add('there');
    await advance(12 * second);
    expect(aborts).toEqual([]);
    await advance(8 * second - 1);
    expect(aborts).toEqual([{ id: 't', at: expect.any(Number), reason: expect.any(LeaseLostError) }]);
    expect(aborts[0]!.at - beganAt).toBeGreaterThan(12 * second);
    // Claims of the others go on, too.
    await here('h2');
    await advance(100 * second);
    expect(began).toEqual(['t', 'h', 'h2']);
    expect(aborts).toHaveLength(1);
    end.here.open();
    await settled();
    expect(await stateOf('here', 'h')).toBe('succeeded');
    expect(await stateOf('here', 'h2')).toBe('succeeded');
  });

  it('keeps only the callers of its queues waiting, until the enqueue timeout', async () => {
    const { parted, here, there, advance } = await startParted();
    parted.silent.add('there');
    const refused = expect(there('t')).rejects.toMatchObject({ code: 'ENQUEUE_TIMEOUT', id: 't' });
    await expect(here('h')).resolves.toMatchObject({ status: 'enqueued' });
    await advance(5 * second);
    await refused;
  });
});

describe('A store that could not store a group', () => {
  it('refuses the caller of that group alone', async () => {
    @Job({ name: 'Usual' })
    class Usual {
      run(): void {}
    }
    const { jobs } = await start({
      providers: [Usual],
      before: (store) => ({
        ...store,
        tasks: {
          add: async (groups) => {
            const good = groups.filter(([task]) => task!.id !== 'bad');
            const added = await store.tasks.add(good);
            return groups.map((group) =>
              good.includes(group) ? added[good.indexOf(group)]! : new Error('full'),
            );
          },
          claim: (request) => store.tasks.claim(request),
          settle: (settlements) => store.tasks.settle(settlements),
          renew: (leases, leaseMs) => store.tasks.renew(leases, leaseMs),
          annotate: (notes) => store.tasks.annotate(notes),
          unpark: (...args) => store.tasks.unpark(...args),
        },
      }),
    });
    const answers = await Promise.allSettled(
      ['a', 'bad', 'b'].map((id) => jobs.enqueue(Usual, undefined, { id })),
    );
    expect(answers).toMatchObject([
      { status: 'fulfilled', value: { id: 'a', status: 'enqueued' } },
      {
        status: 'rejected',
        reason: { code: 'ENQUEUE_FAILED', id: 'bad', message: expect.stringContaining('full') },
      },
      { status: 'fulfilled', value: { id: 'b', status: 'enqueued' } },
    ]);
  });
});
