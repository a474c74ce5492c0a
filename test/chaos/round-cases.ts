import {
  aborted,
  claimed,
  died,
  failed,
  held,
  run,
  succeeded,
  t,
  u,
  up,
  type Told,
} from '../history/told.js';
import type { OwnInvariant } from './check-round.js';

/** Histories that keep an invariant of real processes, and ones that break it and nothing else. */
export type RoundCases<Name extends OwnInvariant> = Readonly<
  Record<Name, { readonly kept: Record<string, Told[]>; readonly broken: Record<string, Told[]> }>
>;

const settings: Told = { type: 'settings', leaseMs: 10, sweepMs: 10, slackMs: 5 };
const v = { queue: 'q', id: 'v' };
const byOther = <E extends Told>(event: E): E => ({ ...event, process: 'o' });
const at = (when: number, event: Told): Told => ({ ...event, at: when }) as unknown as Told;
const whole = (epoch: number, of = t, attempt = 1): Told[] => [
  run('started', epoch, attempt, of),
  run('effect', epoch, attempt, of),
  run('ended', epoch, attempt, of),
  succeeded(epoch, of),
];
const unique = (of: typeof t): Told => ({ type: 'enqueue', process: 'p', ...of, key: 'k' });
const cutOff = { type: 'cut-off', process: 'p', forMs: 1_000 } as const;
const stalled = { type: 'stalled', process: 'p', forMs: 1_000 } as const;

export const runCases: RoundCases<
  | 'no write of an old epoch is taken'
  | 'extra runs have a cause, and are no more than the slots lost'
  | 'no run goes beyond its retries'
  | 'recovery takes a lease and a sweep'
  | 'tasks of one key run one at a time'
  | 'a signal comes before the takeover'
> = {
  'no write of an old epoch is taken': {
    kept: {
      'a write that had left before the next claim was answered': [
        claimed(1, 1),
        claimed(2, 2),
        { ...failed(1, 'scheduled'), sentAt: 15 },
      ],
      'tasks that were claimed together': [claimed(1, 1), claimed(1, 1, u)],
      'claims that crossed on the way': [claimed(2, 1), { ...claimed(1, 2), sentAt: 5 }],
      'an end that was told of twice': [claimed(1, 1), succeeded(1), succeeded(1)],
    },
    broken: {
      'a write that left after the next claim': [claimed(1, 1), claimed(2, 2), failed(1, 'scheduled')],
      'a claim after a success': [claimed(1, 1), succeeded(1), claimed(2, 2)],
      'an epoch that was drawn twice for a task': [claimed(1, 1), claimed(1, 2)],
      'an epoch below the one before': [claimed(2, 1), claimed(1, 2)],
      'two successes, of which the first had left in time': [
        claimed(1, 1),
        claimed(2, 2),
        { ...succeeded(1), sentAt: 15 },
        succeeded(2),
      ],
      'a death and a success': [
        claimed(1, 1),
        claimed(2, 2),
        { ...failed(1, 'dead'), sentAt: 15 },
        succeeded(2),
      ],
      'a write that left after the end': [claimed(2, 1), succeeded(2), failed(1, 'scheduled')],
    },
  },
  'extra runs have a cause, and are no more than the slots lost': {
    kept: {
      'a run whose process died': [up, run('started', 1, 1), died],
      'a run that was cut off from the store': [up, cutOff, run('started', 1, 1), run('ended', 1, 1)],
      'a run whose process stood still': [up, run('started', 1, 1), stalled, run('ended', 1, 1)],
      'a run on a machine that stood still, where all else is to cost nothing': [
        { type: 'fault', name: 'blocked', costsNothing: true },
        settings,
        up,
        run('started', 1, 1),
        { type: 'machine-stalled', forMs: 8 },
        run('ended', 1, 1),
      ],
      'runs of which the store has forgotten that it took them': [
        run('started', 1, 1),
        run('ended', 1, 1),
        { type: 'forgot', sinceAt: 5 },
      ],
      'one that was over before that, but not settled': [
        run('started', 1, 1),
        run('ended', 1, 1),
        succeeded(1),
        { type: 'forgot', sinceAt: 25 },
      ],
    },
    broken: {
      'a run that nothing happened to': [up, run('started', 1, 1), run('ended', 1, 1)],
      'a run that was over before its process died': [up, run('started', 1, 1), run('ended', 1, 1), died],
      'a run before its process was cut off': [
        up,
        run('started', 1, 1),
        run('ended', 1, 1),
        settings,
        cutOff,
      ],
      'a run whose process stood still, where that is to cost nothing': [
        { type: 'fault', name: 'blocked', costsNothing: true },
        up,
        stalled,
        run('started', 1, 1),
        run('ended', 1, 1),
      ],
      'a run whose process stood still for a moment only': [
        settings,
        up,
        { ...stalled, forMs: 4 } as Told,
        run('started', 1, 1),
        run('ended', 1, 1),
      ],
      'more runs than slots, where one thing is told of twice': [
        { ...settings, leaseMs: 1_000 } as Told,
        up,
        ...[t, u, v].flatMap((of, n) => [run('started', n + 1, 1, of), run('ended', n + 1, 1, of)]),
        cutOff,
        cutOff,
      ],
      'more runs than the slots of the dead': [
        { ...settings, leaseMs: 1_000 } as Told,
        up,
        ...[t, u, v].flatMap((of, n) => [run('started', n + 1, 1, of), run('ended', n + 1, 1, of)]),
        died,
      ],
    },
  },
  'no run goes beyond its retries': {
    kept: {
      'as many as there are': [{ type: 'enqueue', process: 'p', ...t, retries: 1 }, ...whole(2, t, 2)],
    },
    broken: {
      'one more': [{ type: 'enqueue', process: 'p', ...t, retries: 1 }, ...whole(3, t, 3)],
      'two of one claim': [run('started', 1, 1), ...whole(1)],
    },
  },
  'recovery takes a lease and a sweep': {
    kept: {
      'a claim in time': [settings, up, byOther(up), run('started', 1, 1), died, byOther(claimed(2, 2))],
      'a claim in time after nobody was there': [
        settings,
        up,
        run('started', 1, 1),
        died,
        at(500, byOther(up)),
        at(510, byOther(claimed(2, 2))),
      ],
      'a claim by one that stood still': [
        settings,
        up,
        byOther(up),
        run('started', 1, 1),
        died,
        byOther({ ...stalled, forMs: 450 } as Told),
        at(500, byOther(claimed(2, 2))),
      ],
      'a claim that had no store to ask': [
        settings,
        up,
        byOther(up),
        run('started', 1, 1),
        died,
        byOther(cutOff),
        at(500, byOther(claimed(2, 2))),
      ],
    },
    broken: {
      'a claim later than the time that all stood still': [
        settings,
        up,
        byOther(up),
        run('started', 1, 1),
        died,
        byOther({ ...stalled, forMs: 300 } as Told),
        at(500, byOther(claimed(2, 2))),
      ],
      'a claim too late': [
        settings,
        up,
        byOther(up),
        run('started', 1, 1),
        died,
        at(500, byOther(claimed(2, 2))),
      ],
    },
  },
  'tasks of one key run one at a time': {
    kept: {
      'one after the other': [unique(t), unique(u), ...whole(1), ...whole(2, u)],
      'two keys': [unique(t), run('started', 1, 1), ...whole(2, u), run('ended', 1, 1), succeeded(1)],
      'one after a run that was told to stop': [
        cutOff,
        unique(t),
        unique(u),
        run('started', 1, 1),
        aborted,
        ...whole(2, u).map(byOther),
        up,
      ],
    },
    broken: {
      'one beside the other': [
        unique(t),
        unique(u),
        run('started', 1, 1),
        ...whole(2, u),
        run('ended', 1, 1),
        succeeded(1),
      ],
    },
  },
  'a signal comes before the takeover': {
    kept: {
      'one that did': [up, cutOff, run('started', 1, 1), aborted, byOther(claimed(2, 2))],
      'a process that stood still': [up, stalled, run('started', 1, 1), byOther(claimed(2, 2))],
      'the late answer to an earlier claim': [
        up,
        run('started', 2, 1),
        byOther({ ...claimed(1, 1), sentAt: 5 }),
        ...whole(2).slice(1),
      ],
    },
    broken: {
      'one that did not': [up, cutOff, run('started', 1, 1), byOther(claimed(2, 2))],
      'one that came late': [up, cutOff, run('started', 1, 1), byOther(claimed(2, 2)), aborted],
    },
  },
};

const usage = (when: 'before' | 'after', heapMb: number, sockets: number): Told => ({
  type: 'usage',
  process: 'p',
  when,
  heapMb,
  sockets,
});
const refused: Told = { type: 'refused', ...t, sent: true };
const asked: Told = { type: 'enqueue', process: 'p', ...t };
const acknowledged: Told = { type: 'acknowledged', ...t, status: 'enqueued' };
const ended = run('ended', 1, 1);
const delayed = (inMs: number): Told => ({ type: 'enqueue', process: 'p', ...t, inMs });
/** Of a schedule whose slots were all passed over, and which was read so long after its last. */
const schedule = (skipped: number, readAfterMs = 0): Told => {
  const [everyMs, lastSlot] = [500, 500 * skipped];
  const read = { lastSlot, fired: 0, skipped, wallAt: lastSlot + readAfterMs };
  return { type: 'schedule', queue: 'q', id: 'S', everyMs, firstSlot: everyMs, ...read };
};
const slotRun = (slot: number): Told[] => {
  const [started, ...more] = whole(slot, { queue: 'q', id: `s${slot}` }).map(byOther);
  return [{ ...started, slot } as Told, ...more];
};
const laterSlots = [...slotRun(2_000), ...slotRun(2_500)];
const after = (...events: Told[]): Told[] => [
  up,
  { type: 'healed', wallAt: 1_000 },
  ...events,
  { type: 'rest' },
];
const marks = (before: Told[], after: Told[]): Told[] => [
  { type: 'steady' },
  ...before,
  { type: 'fault', name: 'any' },
  { type: 'healed' },
  ...after,
  { type: 'rest' },
];
type State = 'succeeded' | 'dead' | 'parked' | 'waiting' | 'cancelled';
const listed = (state: State, rows?: number, job = state === 'dead' ? 'Poison' : 'Plain'): Told => ({
  type: 'listed',
  ...t,
  state,
  job,
  rows,
});
const done = run('effect', 1, 1);
const counted = (count: number): Told => ({ type: 'counted', queue: 'q', state: 'dead', count });

export const endCases: RoundCases<Exclude<OwnInvariant, keyof typeof runCases>> = {
  'no acknowledged enqueue is lost': {
    kept: {
      'one that is listed': [asked, acknowledged, listed('waiting')],
      'one whose holder is listed': [
        asked,
        { ...acknowledged, id: 'u', holder: 't' } as Told,
        listed('waiting'),
      ],
    },
    broken: {
      'one that is nowhere': [asked, acknowledged],
      'one that was settled, and is nowhere': [asked, acknowledged, succeeded(1), counted(0)],
    },
  },
  'what was claimed does not vanish': {
    kept: {
      'a task of which nobody was told': [claimed(1, 1), succeeded(1), listed('dead'), counted(1)],
      'one that a store may lose': [claimed(1, 1), { type: 'forgot', sinceAt: 5 }, counted(0)],
    },
    broken: {
      'one that was claimed': [claimed(1, 1), counted(0)],
      'one that was settled': [succeeded(1), counted(0)],
    },
  },
  'a success has been done, and only poison is dead': {
    kept: {
      'a success with a run': [done, listed('succeeded')],
      'poison that is dead': [listed('dead')],
    },
    broken: {
      'a success that nobody has done': [run('started', 1, 1), ended, succeeded(1), listed('succeeded')],
      'poison that has succeeded': [done, listed('succeeded', undefined, 'Poison')],
      'a death of what could succeed': [listed('dead', undefined, 'Plain')],
      'a task that nobody cancelled': [listed('cancelled')],
    },
  },
  'nothing runs before its time': {
    kept: {
      'a run when it is due': [delayed(5), ...whole(1)],
      'a slot of now': [schedule(2)],
    },
    broken: {
      'a run before that': [delayed(500), ...whole(1)],
      'a slot of the next hour': [schedule(2, -500)],
    },
  },
  'slots are passed over only where nobody could fire them': {
    kept: {
      'some while nobody was there': [up, died, at(3_000, byOther(up)), schedule(6)],
      'some while the task of an earlier one was under way': [
        { type: 'healed', wallAt: 10 },
        ...slotRun(500).slice(0, 2),
        ...laterSlots,
        ...slotRun(500)
          .slice(2)
          .map((event) => at(2_900, event)),
        at(2_950, { type: 'rest' }),
        schedule(6),
      ],
      'some while all were cut off': [cutOff, schedule(4)],
      'some while the store took nothing': [up, refused, at(1_000, refused), schedule(6)],
    },
    broken: {
      'some while one was there': [up, schedule(6)],
      'more than the time without anybody': [cutOff, schedule(6)],
      'more than while the store took nothing': [up, refused, schedule(6)],
    },
  },
  'after healing every worker and the schedule go on': {
    kept: {
      'claims and slots': after(claimed(1, 1), ...whole(1), ...laterSlots),
      'one that was told to stop': after(
        { type: 'stopping', process: 'p', limitMs: 100 },
        { type: 'down', process: 'p', timers: 0 },
        ...laterSlots,
      ),
    },
    broken: {
      'a worker that claims nothing': after(...whole(1), ...laterSlots),
      'a worker whose last claim was asked for before': after(
        { ...claimed(1, 1), sentAt: 5 },
        ...whole(1),
        ...laterSlots,
      ),
      'slots of before only': after(claimed(1, 1), ...whole(1), ...slotRun(500), ...slotRun(900)),
    },
  },
  'what is counted is what is listed': {
    kept: { 'the same': [listed('dead'), counted(1)], none: [counted(0)] },
    broken: { more: [listed('dead'), counted(2)], less: [listed('dead'), counted(0)] },
  },
  'an effect that commits with its task is there once': {
    kept: { 'a success with it': [done, listed('succeeded', 1)], 'a death without it': [listed('dead', 0)] },
    broken: {
      'a success without it': [done, listed('succeeded', 0)],
      'a success with two': [done, listed('succeeded', 2)],
      'a death with it': [listed('dead', 1)],
      'one of a task that is nowhere': [{ type: 'left', ...t, rows: 1 }],
    },
  },
  'no lock is without its task': {
    kept: {
      'one of a task that waits': [listed('waiting'), held('t')],
      'one of a parked task': [{ type: 'spoilt', ...t }, listed('parked'), held('t')],
    },
    broken: { 'one of nobody': [held('t')], 'one of the dead': [listed('dead'), held('t')] },
  },
  'only what is unreadable is parked': {
    kept: { 'what was spoilt': [{ type: 'spoilt', ...t }, listed('parked')] },
    broken: {
      'what was not': [listed('parked')],
      'what was spoilt, and has run': [{ type: 'spoilt', ...t }, done, listed('succeeded')],
      'what was spoilt, and is dead': [{ type: 'spoilt', ...t }, listed('dead')],
    },
  },
  'throughput is back': {
    kept: {
      'as many as before': marks(whole(1), whole(2, u)),
      'half, where half was asked for': marks(
        [asked, asked, ...whole(1), ...whole(2, u)],
        [asked, ...whole(3, v)],
      ),
    },
    broken: {
      'none any more': marks(whole(1), []),
      'half, where all was asked for': marks(
        [asked, asked, ...whole(1), ...whole(2, u)],
        [asked, asked, ...whole(3, v)],
      ),
      half: marks([...whole(1), ...whole(2, u)], whole(3, v)),
    },
  },
  'no process ends or hangs by itself': {
    kept: {
      'one that was asked to': [
        { type: 'stopping', process: 'p', limitMs: 100 },
        { type: 'down', process: 'p', timers: 0 },
      ],
      'one that was killed': [died],
    },
    broken: {
      'one that was not': [{ type: 'exited', process: 'p', code: 1 }],
      'one that does not when it is asked': [{ type: 'hung', process: 'p' }],
    },
  },
  'memory and sockets are back': {
    kept: { 'about the same': [usage('before', 20, 6), usage('after', 30, 8)] },
    broken: {
      'more memory': [usage('before', 20, 6), usage('after', 80, 6)],
      'more sockets': [usage('before', 20, 6), usage('after', 20, 40)],
    },
  },
};
