import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Advanced, ScheduleRecord } from '../../../lib/backend/schedule-store.js';
import { ScheduleModel } from './property-schedule-model.js';
import { type ScheduleBundle, withSchedules } from './schedule-setup.js';
import { type OpenStore, setupWith } from './setup.js';

type Command = fc.AsyncCommand<ScheduleModel, ScheduleBundle>;

// Clocks are moved by tens of seconds, and all else lies between: a real clock that runs on meanwhile changes no order.
const span = 20_000;
const between = 25_000;
const ids = ['a', 'b', 'c'];
const anyId = fc.constantFrom(...ids);
/** As a schedule is, or as one that has seen it earlier believes. */
const seenAs = fc.constantFrom('it is', 'it is', 'at another slot', 'of another version');

const commands: fc.Arbitrary<Command>[] = [
  ...Array.from({ length: 3 }, () =>
    fc
      .tuple(
        anyId,
        fc.constantFrom('absent', 'replace', 'replace'),
        fc.constantFrom('r1', 'r2', 'r3'),
        fc.constantFrom('t1', 't2'),
        fc.boolean(),
        fc.constantFrom('now' as const, -15_000, 5_000, 45_000),
      )
      .map((args) => put(...args)),
  ),
  ...Array.from({ length: 3 }, () =>
    fc
      .tuple(anyId, seenAs, fc.boolean(), fc.boolean(), fc.constantFrom(0, -30_000, 15_000))
      .map((args) => step(...args)),
  ),
  fc.tuple(anyId, fc.boolean()).map((args) => defer(...args)),
  fc.tuple(anyId, fc.boolean()).map((args) => defer(...args)),
  fc.constantFrom(0, 0, 1, 2).map(due),
  anyId.map(declare),
  fc.tuple(anyId, fc.constantFrom('any', 'as declared', 'as declared before')).map((args) => remove(...args)),
  anyId.map(pause),
  fc.tuple(anyId, fc.boolean()).map((args) => resume(...args)),
  fc.constantFrom(between, Infinity, 0).map(pauseQueue),
  fc.constantFrom(0, 0).map(pauseQueue),
  fc.constantFrom(10_000, 10_000, 60_000).map(wait),
];

/** Whatever the order of steps, the schedules of a backend are what a plain model of them is. */
export function describeScheduleProperty(
  name: string,
  open: OpenStore,
  options: { runs: number; steps: number },
): void {
  const setup = setupWith(open);
  const sequences = fc.commands(commands, { maxCommands: options.steps, size: 'max' });

  describe(`schedules of the ${name} backend`, () => {
    it(
      `are what the model says, in ${options.runs} runs of up to ${options.steps} steps`,
      () =>
        fc.assert(
          fc.asyncProperty(sequences, (steps) =>
            withSchedules(setup, async (bundle) => {
              const model = new ScheduleModel(await bundle.now());
              await fc.asyncModelRun(() => ({ model, real: bundle }), steps);
            })(),
          ),
          // Interrupted before the test is: a counterexample that is still being made smaller is told then, not a time limit.
          {
            numRuns: options.runs,
            plugins: [fc.interruptAfterTimeLimit(540_000, { failOnInterrupt: true })],
          },
        ),
      // Only an end to what hangs: with other work on the machine it may take minutes.
      600_000,
    );
  });
}

function command(name: string, run: Command['run']): Command {
  return {
    check: () => true,
    async run(model, real) {
      // Each step has a millisecond of its own, as in the model of tasks.
      await real.advance(1);
      // A real clock has run on since the last step, on a busy machine by much over a whole run.
      model.now = (await real.now()) - model.startedAt;
      await run(model, real);
      await expectSame(model, real);
    },
    toString: () => name,
  };
}

function put(
  id: string,
  when: 'absent' | 'replace',
  rule: string,
  template: string,
  isDeclared: boolean,
  inMs: number | 'now',
): Command {
  const name = `put ${id} to ${when}: ${rule} ${template} ${inMs}${isDeclared ? ' declared' : ''}`;
  return command(name, async (model, real) => {
    const slot = inMs === 'now' ? model.now : Math.floor(model.now / 10_000) * 10_000 + inMs;
    const given = { rule, template, isDeclared };
    const expected = model.put(id, when, { ...given, slot, isNow: inMs === 'now' });
    const nextSlot = inMs === 'now' ? inMs : model.startedAt + slot;
    expect(await real.schedules.put(real.schedule(id, nextSlot, given), when)).toBe(expected);
  });
}

/** Where the schedule stands, or, as one that has seen it earlier believes, elsewhere. */
async function seenSlot({ read }: ScheduleBundle, id: string, isStale: boolean): Promise<number> {
  return ((await read(id))?.nextSlot ?? 0) - (isStale ? 1 : 0);
}

function step(id: string, seen: string, isLast: boolean, hasTask: boolean, passes: number): Command {
  const name = `step ${id} as ${seen} passing ${passes}${isLast ? ' last' : ''}${hasTask ? ' with a task' : ''}`;
  return command(name, async (model, real) => {
    const slot = await seenSlot(real, id, seen === 'at another slot');
    const version = ((await real.read(id))?.version ?? 0) - (seen === 'of another version' ? 1 : 0);
    const task = hasTask ? real.task({ scheduleId: id, slot }) : undefined;
    const nextSlot = isLast ? undefined : slot + span;
    const fields = { version, passes: slot + passes, nextSlot, task, skipped: 1 };
    const advanced = await real.advanceOne(real.step(id, slot, fields));
    const added: Advanced = { status: 'advanced', added: { status: 'enqueued' } };
    const isAdvanced = seen === 'it is' && model.step(id, isLast ? undefined : span, passes, task?.id);
    expect(advanced).toEqual(isAdvanced ? (hasTask ? added : { status: 'advanced' }) : { status: 'lost' });
  });
}

function defer(id: string, isStale: boolean): Command {
  return command(`defer ${id}${isStale ? ' stale' : ''}`, async (model, real) => {
    await real.schedules.defer([{ ...real.ref(id), nextSlot: await seenSlot(real, id, isStale) }], between);
    if (!isStale) model.defer(id, between);
  });
}

function due(skip: number): Command {
  return command(`due but the first ${skip}`, async (model, { schedules, queue, about }) => {
    const expected = model.due(skip);
    const { schedules: found, nextInMs } = await schedules.due([{ queue, skip }]);
    expect({ ids: found.map(({ id }) => id), nextInMs }).toEqual({
      ids: expected.ids,
      nextInMs: about(expected.nextInMs),
    });
  });
}

function declare(id: string): Command {
  return command(`declare ${id}`, async (model, { schedules, ref }) => {
    expect(await schedules.declare([ref(id)])).toEqual(model.declare(id) ? [] : [ref(id)]);
  });
}

function remove(id: string, seen: string): Command {
  return command(`remove ${id} ${seen}`, async (model, { schedules, ref, read }) => {
    const declaredAt = (await read(id))?.declaredAt ?? 1;
    const said = seen === 'any' ? undefined : declaredAt - (seen === 'as declared' ? 0 : 1);
    const isMeant = seen === 'any' || model.schedules.get(id)?.declaredAt !== undefined;
    const isRemoved = isMeant && seen !== 'as declared before' && model.schedules.delete(id);
    expect(await schedules.remove(ref(id), said)).toBe(isRemoved);
  });
}

function pause(id: string): Command {
  return command(`pause ${id}`, async (model, { schedules, ref }) => {
    expect(await schedules.pause(ref(id))).toBe(model.pause(id));
  });
}

function resume(id: string, isStale: boolean): Command {
  return command(`resume ${id}${isStale ? ' stale' : ''}`, async (model, real) => {
    const slot = await seenSlot(real, id, isStale);
    const isResumed = !isStale && model.resume(id, span);
    expect(await real.schedules.resume(real.ref(id), slot, slot + span)).toBe(isResumed ? 'resumed' : 'lost');
  });
}

function pauseQueue(forMs: number): Command {
  return command(`pause the queue for ${forMs}`, async (model, { backend, queue }) => {
    if (forMs === 0) await backend.catalog.resume(queue);
    else await backend.catalog.pause(queue, forMs);
    model.pausedUntil = forMs === 0 ? 0 : model.now + forMs;
  });
}

function wait(ms: number): Command {
  return command(`wait ${ms}`, async (model, { advance }) => {
    model.now += ms;
    await advance(ms);
  });
}

async function expectSame(model: ScheduleModel, { schedules, queue, about }: ScheduleBundle): Promise<void> {
  const at = (time: number | undefined) => (time === undefined ? undefined : about(model.startedAt + time));
  const listed: ScheduleRecord[] = [];
  // A page each, so that every place is gone on from.
  for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
    const page = await schedules.list(queue, { limit: 1, after });
    listed.push(...page.schedules);
    after = page.next;
  }
  expect(listed).toEqual(
    model.inOrder().map(({ slot, firstSlot, lastSlot, version, declaredAt, deferredUntil: _, ...same }) => ({
      ...{ queue, job: 'Report', ...same },
      ...{ nextSlot: at(slot), firstSlot: at(firstSlot), lastSlot: at(lastSlot), declaredAt: at(declaredAt) },
      version: model.storesVersion(version, listed.find(({ id }) => id === same.id)?.version),
    })),
  );
}
