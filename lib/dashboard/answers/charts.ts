import type { SpanInfo } from '../../catalog/filled-spans.js';
import type { QueueInfo } from '../../catalog/queue-catalog.js';
import type { Chart, Charts } from '../api/overview.js';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const [minutes, hours] = [60, 24];

export function chartsOf(queue: QueueInfo): Charts {
  return {
    hour: chart(queue.minutes.slice(-minutes), minuteMs),
    day: chart(queue.hours.slice(-hours), hourMs),
  };
}

/** All queues together. The clocks of a cluster's servers differ: what belongs together is found by its moment. */
export function chartsOfAll(charts: readonly Charts[]): Charts {
  return {
    hour: sum(
      charts.map(({ hour }) => hour),
      minutes,
      minuteMs,
    ),
    day: sum(
      charts.map(({ day }) => day),
      hours,
      hourMs,
    ),
  };
}

function chart(spans: readonly SpanInfo[], spanMs: number): Chart {
  return {
    startsAt: spans[0]?.at.getTime() ?? 0,
    spanMs,
    succeeded: spans.map(({ succeeded }) => succeeded),
    failed: spans.map(({ failed }) => failed),
    dead: spans.map(({ dead }) => dead),
  };
}

function sum(charts: readonly Chart[], count: number, spanMs: number): Chart {
  const startsAt = Math.max(...charts.map((one) => one.startsAt), 0);
  const summed = (what: 'succeeded' | 'failed' | 'dead') => {
    const sums = Array<number>(count).fill(0);
    for (const one of charts) {
      const shift = Math.round((one.startsAt - startsAt) / spanMs);
      one[what].forEach((amount, at) => {
        if (at + shift >= 0) sums[at + shift]! += amount;
      });
    }
    return sums;
  };
  return { startsAt, spanMs, succeeded: summed('succeeded'), failed: summed('failed'), dead: summed('dead') };
}
