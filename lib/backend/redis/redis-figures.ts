import type { TaskRef } from '../../task/task-record.js';
import type {
  JobFigures,
  LiveRunner,
  RunCounts,
  RunnerInfo,
  RunsInSpan,
  RunsOfJob,
  SlotOutcome,
  Throughput,
} from '../stats-store.js';
import type { Arguments } from './redis-arguments.js';

// The formats are described at the head of lua/base.lua.
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const minutesShown = 60;
const hoursShown = 7 * 24;

/** In the order in which they are stored. */
const counted = ['succeeded', 'failed', 'dead', 'cancelled', 'lost', 'runMs', 'waitMs'] as const;

export function runArguments(run: RunsOfJob): Arguments {
  return [run.job, ...counted.map((what) => Math.round(run[what])), run.lastError ?? ''];
}

export function slotArguments({ id, slot, task, outcome }: TaskRef & Omit<SlotOutcome, 'at'>): Arguments {
  return [id, slot, task, outcome];
}

export function readJobFigures(queue: string, job: string, text: string): JobFigures {
  const fields = text.split('|');
  const [lastRunAt, lastFailureAt, ...lastError] = fields.slice(counted.length);
  return {
    queue,
    job,
    ...readCounts(fields),
    lastError: lastError.join('|') || undefined,
    lastRunAt: lastRunAt ? Number(lastRunAt) : undefined,
    lastFailureAt: lastFailureAt ? Number(lastFailureAt) : undefined,
  };
}

/** Names and values of minutes and hours, in no order, among them old ones whose fields were not used again yet. */
export function readSpans(now: number, reply: readonly string[]): Throughput {
  const minutes: RunsInSpan[] = [];
  const hours: RunsInSpan[] = [];
  for (let at = 0; at < reply.length; at += 2) {
    const [number, ...fields] = reply[at + 1]!.split('|');
    const isMinute = reply[at]!.startsWith('m');
    const spanMs = isMinute ? minuteMs : hourMs;
    const spansAgo = Math.floor(now / spanMs) - Number(number);
    if (spansAgo >= (isMinute ? minutesShown : hoursShown)) continue;
    (isMinute ? minutes : hours).push({ at: Number(number) * spanMs, ...readCounts(fields) });
  }
  return { minutes: minutes.sort(byTime), hours: hours.sort(byTime) };
}

export function readLiveRunner(text: string): LiveRunner {
  const startedEnd = text.indexOf('|');
  const seenEnd = text.indexOf('|', startedEnd + 1);
  return {
    ...readRunnerInfo(text.slice(seenEnd + 1)),
    startedAt: Number(text.slice(0, startedEnd)),
    seenAt: Number(text.slice(startedEnd + 1, seenEnd)),
  };
}

/** JSON knows no Infinity, which a runner may have as its concurrency. */
function readRunnerInfo(text: string): RunnerInfo {
  return JSON.parse(text, (name, value: unknown) =>
    name === 'concurrency' && value === null ? Infinity : value,
  ) as RunnerInfo;
}

function readCounts(fields: readonly string[]): RunCounts {
  return Object.fromEntries(counted.map((what, index) => [what, Number(fields[index])])) as Record<
    (typeof counted)[number],
    number
  >;
}

function byTime(a: RunsInSpan, b: RunsInSpan): number {
  return a.at - b.at;
}
