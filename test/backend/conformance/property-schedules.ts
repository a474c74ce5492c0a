import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Advanced } from '../../../lib/backend/schedule-store.js';
import { ScheduleModel } from './property-schedule-model.js';
import { type ScheduleBundle, withSchedules } from './schedule-setup.js';
import { type OpenStore, setupWith } from './setup.js';

type Command = fc.AsyncCommand<ScheduleModel, ScheduleBundle>;

// Clocks are moved by tens of seconds, and all else lies between: a real clock that runs on meanwhile changes no order.
const span = 20_000;
const between = 25_000;
const ids = ['a', 'b', 'c'];
const anyId = fc.constantFrom(...ids);

const commands: fc.Arbitrary<Command>[] = [
  ...Array.from({ length: 3 }, () =>
    fc
      .tuple(
        anyId,
        fc.constantFrom('absent', 'changed', 'always'),
        fc.constantFrom('r1', 'r2'),
        fc.boolean(),
        fc.constantFrom('now' as const, -15_000, 5_000, 45_000),
      )
      .map((args) => put(...args)),
  ),
  ...Array.from({ length: 3 }, () =>
    fc.tuple(anyId, fc.boolean(), fc.boolean(), fc.boolean()).map((args) => step(...args)),
  ),
  fc.tuple(anyId, fc.boolean()).map((args) => defer(...args)),
  fc.tuple(anyId, fc.boolean()).map((args) => defer(...args)),
  fc.constantFrom(Infinity, Infinity, between).map(due),
  anyId.map(declare),
  anyId.map(remove),
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
          { numRuns: options.runs },
        ),
      120_000,
    );
  });
}

function command(name: string, run: Command['run']): Command {
  return {
    check: () => true,
    async run(model, real) {
      // Each step has a millisecond of its own, as in the model of tasks.
      model.now += 1;
      await real.advance(1);
      await run(model, real);
      await expectSame(model, real);
    },
    toString: () => name,
  };
}

function put(
  id: string,
  when: 'absent' | 'changed' | 'always',
  rule: string,
  isDeclared: boolean,
  inMs: number | 'now',
): Command {
  return command(`put ${id} if ${when}: ${rule} ${inMs} ${isDeclared}`, async (model, real) => {
    const slot = inMs === 'now' ? model.now : Math.floor(model.now / 10_000) * 10_000 + inMs;
    const expected = model.put(id, when, { rule, isDeclared, slot });
    const nextSlot = inMs === 'now' ? inMs : model.startedAt + slot;
    expect(await real.schedules.put(real.schedule(id, nextSlot, { rule, isDeclared }), when)).toBe(expected);
  });
}

/** Where the schedule stands, or, as one that has seen it earlier believes, elsewhere. */
async function seenSlot({ read }: ScheduleBundle, id: string, isStale: boolean): Promise<number> {
  return ((await read(id))?.nextSlot ?? 0) - (isStale ? 1 : 0);
}

function step(id: string, isStale: boolean, isLast: boolean, hasTask: boolean): Command {
  const name = `step ${id}${isStale ? ' stale' : ''}${isLast ? ' last' : ''}${hasTask ? ' with a task' : ''}`;
  return command(name, async (model, real) => {
    const slot = await seenSlot(real, id, isStale);
    const task = hasTask ? real.task({ scheduleId: id, slot }) : undefined;
    const nextSlot = isLast ? undefined : slot + span;
    const advanced = await real.advanceOne(real.step(id, slot, { nextSlot, task, skipped: 1 }));
    const added: Advanced = { status: 'advanced', added: { status: 'enqueued' } };
    const isAdvanced = !isStale && model.step(id, isLast ? undefined : span, task?.id);
    expect(advanced).toEqual(isAdvanced ? (hasTask ? added : { status: 'advanced' }) : { status: 'lost' });
  });
}

function defer(id: string, isStale: boolean): Command {
  return command(`defer ${id}${isStale ? ' stale' : ''}`, async (model, real) => {
    await real.schedules.defer([{ ...real.ref(id), nextSlot: await seenSlot(real, id, isStale) }], between);
    if (!isStale) model.defer(id, between);
  });
}

function due(forgetAfterMs: number): Command {
  return command(`due, forgetting after ${forgetAfterMs}`, async (model, { schedules, queue, about }) => {
    const expected = model.due(forgetAfterMs);
    const { schedules: found, nextInMs } = await schedules.due([queue], forgetAfterMs);
    expect({ ids: found.map(({ id }) => id), nextInMs }).toEqual({
      ids: expected.ids,
      nextInMs: about(expected.nextInMs),
    });
  });
}

function declare(id: string): Command {
  return command(`declare ${id}`, async (model, { schedules, ref }) => {
    await schedules.declare([ref(id)]);
    model.declare(id);
  });
}

function remove(id: string): Command {
  return command(`remove ${id}`, async (model, { schedules, ref }) => {
    expect(await schedules.remove(ref(id))).toBe(model.schedules.delete(id));
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
  const listed = await schedules.list(queue, { limit: ids.length + 1 });
  expect(listed).toEqual(
    model.inOrder().map(({ id, rule, slot, firstSlot, lastSlot, lastTask, fired, skipped, ...rest }) => ({
      ...{ queue, id, job: 'Report', rule, template: '{"params":1}', lastTask, fired, skipped },
      ...{ nextSlot: at(slot), firstSlot: at(firstSlot), lastSlot: at(lastSlot) },
      ...{ isPaused: rest.isPaused, declaredAt: at(rest.declaredAt) },
    })),
  );
}
