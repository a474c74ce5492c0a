import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import type { Chart } from '../../../lib/dashboard/api.js';
import { useShade } from '../core/theme.js';
import { counted } from '../core/words.js';
import { said, sumOf } from './spark.js';

const height = 168;

/** Runs that ended, as bars: all of them, with those that failed in red in front. */
export function RunChart({ chart, over }: { chart: Chart; over: string }) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const [pointed, point] = useState<number>();
  const latest = useRef(chart);
  latest.current = chart;
  const shade = useShade();

  useEffect(() => {
    const element = place.current!;
    const made = new uPlot(
      optionsFor(element, () => latest.current, point),
      dataOf(latest.current),
      element,
    );
    plot.current = made;
    const sizes = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }));
    sizes.observe(element);
    return () => {
      sizes.disconnect();
      made.destroy();
    };
  }, [shade, chart.spanMs]);

  useEffect(() => plot.current?.setData(dataOf(chart)), [chart]);

  return (
    <>
      <Legend chart={chart} pointed={pointed} />
      <div class="chart" ref={place} role="img" aria-label={said(chart, over)} />
    </>
  );
}

/** The sums, or the bar that one points at. */
function Legend({ chart, pointed }: { chart: Chart; pointed?: number }) {
  const amount = (counts: readonly number[]) =>
    counted(pointed === undefined ? sumOf(counts) : (counts[pointed] ?? 0));
  return (
    <p class="legend num" aria-hidden="true">
      <span class="legend-good">{amount(chart.succeeded)} succeeded</span>
      <span class="legend-bad">{amount(chart.failed)} failed</span>
      <span class="legend-worst">{amount(chart.dead)} died</span>
      {pointed !== undefined && <span class="faint">{spanOf(chart, pointed)}</span>}
    </p>
  );
}

/** The whole is drawn first, then the failures in front of it, then the deaths in front of those. */
function dataOf({ startsAt, spanMs, succeeded, failed, dead }: Chart): uPlot.AlignedData {
  const times = succeeded.map((_, at) => (startsAt + (at + 0.5) * spanMs) / 1_000);
  const whole = succeeded.map((count, at) => count + (failed[at] ?? 0));
  return [times, whole, [...failed], [...dead]];
}

function optionsFor(
  element: HTMLElement,
  chart: () => Chart,
  point: (index: number | undefined) => void,
): uPlot.Options {
  const [faint, line, good, bad, worst] = coloursOf(element);
  const paths = uPlot.paths.bars!({ size: [0.8, 28], radius: 0.12 });
  const bars = (colour?: string) => ({
    fill: colour,
    stroke: colour,
    width: 0,
    paths,
    points: { show: false },
  });
  const axis = { stroke: faint, font: '11px system-ui, sans-serif', ticks: { show: false } };
  const timeRange = (): [number, number] => {
    const { startsAt, spanMs, succeeded } = chart();
    return [startsAt / 1_000, (startsAt + succeeded.length * spanMs) / 1_000];
  };
  return {
    width: element.clientWidth,
    height,
    padding: [8, 8, 0, 0],
    legend: { show: false },
    cursor: { drag: { setScale: false, x: false, y: false }, points: { show: false }, y: false },
    hooks: { setCursor: [({ cursor }) => point(cursor.idx ?? undefined)] },
    scales: {
      x: { range: timeRange },
      y: { range: (_u, _min, max) => [0, Math.max(max * 1.08, 4)] },
    },
    axes: [
      { ...axis, size: 26, grid: { show: false }, values: (_u, splits) => splits.map(hourOf) },
      { ...axis, size: 40, grid: { stroke: line, width: 1 }, values: (_u, splits) => splits.map(wholeOf) },
    ],
    series: [{}, bars(good), bars(bad), bars(worst)],
  };
}

/** A canvas knows no CSS variables: the browser says what they come to here and now. */
function coloursOf(element: HTMLElement): string[] {
  const probe = document.createElement('span');
  element.append(probe);
  const colours = ['faint', 'line', 'good', 'bad', 'worst'].map((name) => {
    probe.className = `paint-${name}`;
    return getComputedStyle(probe).color;
  });
  probe.remove();
  return colours;
}

function hourOf(seconds: number): string {
  return new Date(seconds * 1_000).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' });
}

function spanOf({ startsAt, spanMs }: Chart, index: number): string {
  const from = (startsAt + index * spanMs) / 1_000;
  return `${hourOf(from)} to ${hourOf(from + spanMs / 1_000)}`;
}

function wholeOf(value: number): string {
  return Number.isInteger(value) ? counted(value) : '';
}
