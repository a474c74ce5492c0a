import type { SessionHealth } from '../runner/session-health.js';
import { lineOf } from '../task/stored-error.js';
import type { StoreAnswer } from './ask-store.js';
import type { HealthBounds } from './health-options.js';
import type { HealthProblem, HealthReport } from './health-report.js';

type Facts = Omit<HealthReport, 'isHealthy' | 'isReady' | 'isAlive' | 'problems'>;

/** What is wrong, by what was found. */
export function problemsOf(
  facts: Facts,
  store: StoreAnswer,
  session: SessionHealth | undefined,
  bounds: HealthBounds,
): HealthProblem[] {
  return [
    ...ofStore(facts, store),
    ...ofState(facts),
    ...ofLooks(facts, store, session),
    ...ofWaiting(facts, bounds),
    ...ofLeases(facts),
    ...ofEventLoop(facts, session, bounds),
  ];
}

function ofStore({ backend }: Facts, { error }: StoreAnswer): HealthProblem[] {
  if (!error) return [];
  const message = `the store ${backend.name} does not answer: ${lineOf(error)}`;
  return [{ code: 'backend-unreachable', message, against: ['readiness'] }];
}

function ofState({ runner }: Facts): HealthProblem[] {
  if (runner.state === 'starting')
    return [{ code: 'runner-starting', message: 'the runner has not started yet', against: ['readiness'] }];
  if (runner.state !== 'draining') return [];
  const message = `the runner takes no more tasks, ${runner.running} still run`;
  return [{ code: 'runner-draining', message, against: ['readiness'] }];
}

function ofLooks({ runner }: Facts, store: StoreAnswer, session: SessionHealth | undefined): HealthProblem[] {
  if (!session || runner.state !== 'running') return [];
  return session.looks
    .filter(({ isOverdue }) => isOverdue)
    .map(({ queue, lookedAgoMs, isSilent }) => ({
      code: 'runner-not-looking',
      queue,
      message: `the runner has not looked at queue '${queue}' for ${lookedAgoMs} ms`,
      // Where the store is away, a new process would not find it either.
      against: store.error || isSilent ? [] : ['liveness'],
    }));
}

function ofWaiting({ queues }: Facts, { oldestWaitingMs: boundOf }: HealthBounds): HealthProblem[] {
  return queues.flatMap(({ queue, oldestWaitingMs = 0, isPaused }): HealthProblem[] => {
    const bound = boundOf(queue);
    if (bound === undefined || oldestWaitingMs <= bound || isPaused) return [];
    const waiting = `has been waiting for ${Math.round(oldestWaitingMs)} ms, more than ${bound} ms`;
    return [
      { code: 'waiting-too-long', queue, message: `a task of queue '${queue}' ${waiting}`, against: [] },
    ];
  });
}

function ofLeases({ leases }: Facts): HealthProblem[] {
  return leases?.trouble === undefined ? [] : [{ code: 'leases', message: leases.trouble, against: [] }];
}

function ofEventLoop(
  { eventLoop: { delayMs } }: Facts,
  session: SessionHealth | undefined,
  { eventLoopDelayMs }: HealthBounds,
): HealthProblem[] {
  if (delayMs <= eventLoopDelayMs) return [];
  // A handler that computes keeps its task meanwhile: a restart would cost an attempt, and bring the same.
  const isBusy = session !== undefined && delayMs <= session.blockedLimitMs;
  const against = isBusy ? [] : (['liveness'] as const);
  return [{ code: 'event-loop-late', message: `the event loop is ${delayMs} ms late`, against }];
}
