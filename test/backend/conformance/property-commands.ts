import { expect } from '@jest/globals';
import fc from 'fast-check';
import type { ClaimedTask } from '../../../lib/backend/backend.js';
import type { Outcome } from '../../../lib/task/outcome.js';
import type { LockPhase, NewTask, TaskState } from '../../../lib/task/task-record.js';
import { allLocks } from './lock-recount.js';
import type { Model } from './property-model.js';
import { boom, type Bundle, leaseMs, leaseOf, lockOf } from './setup.js';

/** The real store, with what its runners remember. */
export interface Real {
  readonly bundle: Bundle;
  held: ClaimedTask[];
  readonly sent: NewTask[];
}

type Command = fc.AsyncCommand<Model, Real>;

const phases: LockPhase[] = ['until_executing', 'while_executing', 'until_executed', 'until_completed'];
const states: TaskState[] = ['scheduled', 'waiting', 'pending', 'succeeded', 'dead', 'cancelled', 'parked'];
const delays = fc.constantFrom(0, 0, 10_000, 60_000);
const keeps = fc.constantFrom(0, 20_000, Infinity);
const staticIds = fc.constantFrom('a', 'b', 'c', 'd');
const anyPick = fc.nat({ max: 1_000 });

const outcomes: fc.Arbitrary<Outcome> = fc.oneof(
  fc.record({ type: fc.constant('succeeded' as const), keepMs: keeps }),
  fc.record({ type: fc.constant('retry' as const), error: fc.constant(boom), delayMs: delays }),
  fc.record({ type: fc.constant('dead' as const), error: fc.constant(boom), keepMs: keeps }),
  fc.record({ type: fc.constant('cancelled' as const), reason: fc.constant('tested'), keepMs: keeps }),
  fc.record({ type: fc.constantFrom('snoozed' as const, 'conflict' as const), delayMs: delays }),
  fc.constant({ type: 'handed-back' as const }),
  fc.record({
    type: fc.constant('parked' as const),
    reason: fc.constant('unreadable' as const),
    fingerprint: fc.constantFrom(undefined, 'v1', 'v2'),
  }),
);
const common = {
  due: fc.record({ inMs: fc.constantFrom(0, 0, 0, -10_000, 10_000, 60_000) }),
  priority: fc.constantFrom(0, 0, -1, 1),
  retries: fc.constantFrom(0, 1, 3),
};
const plainTasks = fc.record(common);
const namedTasks = fc.record({ ...common, id: staticIds, replace: fc.boolean() });
const lockKeys = fc.constantFrom('k1', 'k2', 'k3');
/** A time to live that ends amid two steps of the clock, however long a run takes. */
const ttls = fc.constantFrom(undefined, undefined, 15_000);
const locks = fc
  .record({
    phase: fc.constantFrom(...phases),
    onConflict: fc.constantFrom('reject' as const, 'raise' as const, 'replace' as const),
    key: lockKeys,
    ttlMs: ttls,
  })
  .map(({ phase, ...fields }) => lockOf(phase, fields));
const lockedTasks = fc.record({ ...common, lock: locks });
const namedLockedTasks = fc.record({ ...common, lock: locks, id: staticIds, replace: fc.boolean() });

/** Every step of a run. What a step picks from (held tasks, sent tasks, stored ids) it picks by number, so that it shrinks. */
export const commands: fc.Arbitrary<Command>[] = [
  fc.array(plainTasks, { minLength: 1, maxLength: 3 }).map((tasks) => add(tasks)),
  namedTasks.map((task) => add([task])),
  namedTasks.map((task) => add([task])),
  lockedTasks.map((task) => add([task])),
  lockedTasks.map((task) => add([task])),
  lockedTasks.map((task) => add([task])),
  namedLockedTasks.map((task) => add([task])),
  fc.array(namedLockedTasks, { minLength: 2, maxLength: 4 }).map((tasks) => add(tasks)),
  anyPick.map(addAgain),
  fc.integer({ min: 1, max: 4 }).map(claim),
  fc.integer({ min: 1, max: 4 }).map(claim),
  fc.integer({ min: 1, max: 4 }).map(claim),
  ...Array.from({ length: 3 }, () =>
    fc.tuple(anyPick, outcomes, fc.boolean(), fc.boolean()).map(([pick, ...rest]) => settle(pick, ...rest)),
  ),
  anyPick.map(renew),
  fc.constant(crash()),
  fc.constantFrom(10_000, leaseMs, leaseMs, 3_600_000).map(advance),
  fc.constantFrom(20_000, undefined).map(pause),
  fc.constant(resume()),
  fc.constant(resume()),
  fc.constantFrom('v1', 'v2').map(unpark),
  lockKeys.map(releaseLock),
  fc
    .tuple(fc.constantFrom(...states), fc.integer({ min: 1, max: 3 }), fc.boolean())
    .map((args) => pages(...args)),
  fc.constant(glance()),
  ...(['cancel', 'cancel', 'retry', 'remove', 'runNow'] as const).map((verb) =>
    anyPick.map((pick) => act(verb, pick)),
  ),
];

function command(name: string, run: Command['run'], canRun: Command['check'] = () => true): Command {
  return {
    check: canRun,
    async run(model, real) {
      // Each step has a millisecond of its own: no due times meet by chance, which real clocks would not let meet either.
      await real.bundle.advance(1);
      model.follow(await real.bundle.now());
      await run(model, real);
      await expectSame(model, real.bundle);
    },
    toString: () => name,
  };
}

function add(fields: Partial<NewTask>[]): Command {
  return command(`add ${fc.stringify(fields)}`, async (model, { bundle, sent }) => {
    const tasks = fields.map((field) => bundle.task(field));
    sent.push(...tasks);
    expect(await bundle.add(...tasks)).toEqual(model.addGroup(tasks));
  });
}

function addAgain(pick: number): Command {
  return command(`add again ${pick}`, async (model, { bundle, sent }) => {
    const task = sent[pick % sent.length];
    if (task) expect(await bundle.add(task)).toEqual([model.add(task)]);
  });
}

function claim(limit: number): Command {
  // Whether a claim on a paused queue catches up with due and lost tasks is the store's choice.
  const isDefined: Command['check'] = (model) =>
    !(model.isPaused && model.tasks.some((task) => model.isDue(task) || model.isLost(task)));
  const run: Command['run'] = async (model, real) => {
    const { tasks, nextInMs } = await real.bundle.claim({ limit });
    const expected = model.claim(limit, leaseMs);
    expect(
      tasks.map(({ id, attempt, failures, conflictsWith }) => ({ id, attempt, failures, conflictsWith })),
    ).toEqual(
      expected.map(({ task: { id, attempt, failures }, conflictsWith }) => ({
        id,
        attempt,
        failures,
        conflictsWith,
      })),
    );
    expect(nextInMs).toEqual([real.bundle.about(model.nextInMs())]);
    expected.forEach(({ task }, index) => (task.epoch = tasks[index]!.epoch));
    real.held.push(...tasks);
  };
  return command(`claim ${limit}`, run, isDefined);
}

function settle(pick: number, outcome: Outcome, repeat: boolean, isForgotten: boolean): Command {
  const name = `settle ${pick} ${fc.stringify(outcome)}${repeat ? ' again' : ''}${isForgotten ? ' and forget' : ''}`;
  return command(name, async (model, real) => {
    const lease = real.held[pick % real.held.length];
    if (!lease) return;
    // Whether a repeat is known by a record that was started anew or is past its time is the store's choice.
    const record = model.records.find(({ id }) => id === lease.id);
    if (repeat && record && (record.isAnew || record.vanishesAt <= model.now)) return;
    expect(await real.bundle.settle(lease, outcome, repeat)).toBe(model.settle(lease, outcome, repeat));
    if (isForgotten) real.held = real.held.filter((other) => other !== lease);
  });
}

function renew(pick: number): Command {
  return command(`renew ${pick}`, async (model, { bundle, held }) => {
    const lease = held[pick % held.length];
    if (!lease) return;
    const { lost, cancelled } = await bundle.renew(leaseOf(lease));
    const answer = lost.length > 0 ? 'lost' : cancelled.length > 0 ? 'cancelled' : 'renewed';
    expect(answer).toBe(model.renew(lease, leaseMs));
  });
}

function crash(): Command {
  return command('crash', async (_model, real) => {
    real.held = [];
  });
}

function advance(ms: number): Command {
  return command(`advance ${ms}`, async (model, { bundle }) => {
    model.now += ms;
    await bundle.advance(ms);
  });
}

function pause(forMs: number | undefined): Command {
  return command(`pause ${forMs}`, async (model, { bundle }) => {
    model.pausedUntil = model.now + (forMs ?? Infinity);
    await bundle.backend.catalog.pause(bundle.queue, forMs);
  });
}

function resume(): Command {
  return command('resume', async (model, { bundle }) => {
    model.pausedUntil = 0;
    await bundle.backend.catalog.resume(bundle.queue);
  });
}

function unpark(fingerprint: string): Command {
  return command(`unpark ${fingerprint}`, async (model, { bundle }) => {
    const definitions = [{ job: 'Job', fingerprint }];
    expect(await bundle.backend.tasks.unpark(bundle.queue, definitions)).toEqual({
      count: model.unpark(fingerprint),
    });
  });
}

function releaseLock(key: string): Command {
  return command(`release ${key}`, async (model, { bundle }) => {
    const { backend, queue } = bundle;
    expect(await backend.catalog.releaseLock({ queue, key })).toBe(model.release(key));
  });
}

function pages(state: TaskState, limit: number, backwards: boolean): Command {
  return command(`list ${state} by ${limit}${backwards ? ' backwards' : ''}`, async (_model, { bundle }) => {
    const { backend, queue, list } = bundle;
    const all = await list(state);
    const paged: string[] = [];
    for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
      const page = await backend.catalog.list(queue, state, { limit, after, backwards });
      paged.push(...page.tasks.map(({ id }) => id));
      after = page.next;
    }
    expect(paged).toEqual(backwards ? all.toReversed() : all);
  });
}

function glance(): Command {
  return command('glance', async (model, { bundle }) => {
    const { backend, queue, about } = bundle;
    const oldest = model.oldestWaitingMs();
    const pausedForMs = model.isPaused ? about(model.pausedUntil - model.now) : undefined;
    expect(await backend.catalog.glance([queue])).toEqual([
      {
        ...{ queue, counts: await backend.catalog.counts(queue), pausedForMs, depth: model.depth },
        oldestWaitingMs: oldest === undefined ? undefined : about(oldest),
      },
    ]);
  });
}

function act(verb: 'cancel' | 'retry' | 'remove' | 'runNow', pick: number): Command {
  return command(`${verb} ${pick}`, async (model, { bundle, sent }) => {
    const task = sent[pick % sent.length];
    const stored = task && model.find(task.id);
    // A store may show a due task as waiting before a claim promoted it.
    if (!task || (verb === 'runNow' && stored && model.isDue(stored))) return;
    const ref = { queue: bundle.queue, id: task.id };
    expect(await bundle.backend.catalog[verb]([ref])).toEqual([model[verb](task.id)]);
  });
}

/** Every task is in one state, the model's, with the model's numbers; and there are no others. */
async function expectSame(model: Model, { backend, queue, get }: Bundle): Promise<void> {
  const counts = await backend.catalog.counts(queue);
  const actual: unknown[] = [];
  const expected: unknown[] = [];
  const listed: { id: string; state: TaskState }[] = [];
  for (const state of states) {
    const { tasks: records } = await backend.catalog.list(queue, state, { limit: 1_000 });
    listed.push(...records.map(({ id }) => ({ id, state })));
    actual.push({ state, count: counts[state] });
    expected.push({ state, count: records.length });
  }
  for (const task of model.tasks) {
    const { id, attempt, failures } = task;
    const record = await get(id);
    const states = listed.filter((other) => other.id === id).map(({ state }) => state);
    actual.push({ id, states, ...(record && numbers(record)), state: record?.state });
    // A store may show a due task as waiting before a claim promoted it.
    const state = model.isDue(task) && record?.state === 'waiting' ? 'waiting' : task.state;
    expected.push({ id, states: [state], ...numbers({ state, attempt, failures }), state });
  }
  // A store may clean lazily, but what it still lists can no longer be read.
  for (const { id } of listed.filter((other) => !model.find(other.id))) {
    actual.push({ id, isForgotten: model.records.some((record) => record.id === id), record: await get(id) });
    expected.push({ id, isForgotten: true, record: undefined });
  }
  expect(actual).toEqual(expected);
  const held = (await allLocks(backend, queue)).map(({ key, holder }) => ({ key, holder }));
  const byKey = (a: { key: string }, b: { key: string }) => (a.key < b.key ? -1 : 1);
  expect(held.toSorted(byKey)).toEqual(model.locks.toSorted(byKey));
}

// What the last run of a cancelled task counted as is the store's choice.
function numbers(task: { state: TaskState; attempt: number; failures: number }): object {
  return task.state === 'cancelled' ? {} : { attempt: task.attempt, failures: task.failures };
}
