import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import type { Chart } from '../../../lib/dashboard/api.js';
import { useShade } from '../core/theme.js';
import { counted } from '../core/words.js';
import { said } from './spark.js';

const height = 180;

/** Runs that ended, as bars: all of them, with those that failed in red in front. */
export function RunChart({ chart, over }: { chart: Chart; over: string }) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const latest = useRef(chart);
  latest.current = chart;
  const shade = useShade();

  useEffect(() => {
    const element = place.current!;
    const made = new uPlot(
      optionsFor(element, () => latest.current),
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

  return <div class="chart" ref={place} role="img" aria-label={said(chart, over)} />;
}

/** The whole is drawn first, and the failures in front of it. */
function dataOf({ startsAt, spanMs, succeeded, failed, dead }: Chart): uPlot.AlignedData {
  const times = succeeded.map((_, at) => (startsAt + (at + 0.5) * spanMs) / 1_000);
  const whole = succeeded.map((count, at) => count + (failed[at] ?? 0));
  return [times, whole, [...failed], [...dead]];
}

function optionsFor(element: HTMLElement, chart: () => Chart): uPlot.Options {
  const [faint, line, good, bad, worst] = coloursOf(element);
  const bars = uPlot.paths.bars!({ size: [0.82, 28], radius: 0.15 });
  const shown = (_: uPlot, value: number | null) => (value === null ? '–' : counted(value));
  const axis = { stroke: faint, font: '11px system-ui, sans-serif', ticks: { show: false } };
  return {
    width: element.clientWidth,
    height,
    cursor: { drag: { setScale: false, x: false, y: false }, points: { show: false } },
    scales: { y: { range: (_u, _min, max) => [0, Math.max(max * 1.1, 4)] } },
    axes: [
      { ...axis, grid: { show: false }, values: (_u, splits) => splits.map(hourOf) },
      { ...axis, size: 44, grid: { stroke: line, width: 1 }, values: (_u, splits) => splits.map(wholeOf) },
    ],
    series: [
      { label: 'from', value: (_u, at) => (at === null ? '–' : spanOf(at, chart().spanMs)) },
      {
        ...{ label: 'succeeded', fill: good, stroke: good, width: 0, paths: bars, points: { show: false } },
        value: (u, whole, _series, at) =>
          whole === null || at === null ? '–' : counted(whole - (u.data[2]?.[at] ?? 0)),
      },
      {
        label: 'failed',
        fill: bad,
        stroke: bad,
        width: 0,
        paths: bars,
        points: { show: false },
        value: shown,
      },
      {
        label: 'died',
        fill: worst,
        stroke: worst,
        width: 0,
        paths: bars,
        points: { show: false },
        value: shown,
      },
    ],
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

function spanOf(middle: number, spanMs: number): string {
  return hourOf(middle - spanMs / 2_000);
}

function wholeOf(value: number): string {
  return Number.isInteger(value) ? counted(value) : '';
}
