import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { JobsMetrics, JobsMetricsModule } from 'nestjs-jobs';
import { eventTypes } from '../../lib/observe/job-event.js';
import { startApp } from '../support/app.js';
import { optionsOf } from '../support/readme-options.js';
import { readme, sectionsOf } from '../support/readme.js';

/** The first cells of the rows of a section's table that begins with this head. */
function firstCells(heading: string, head: string): string[] {
  const { text } = sectionsOf(readme).find((section) => section.heading === heading)!;
  const table = new RegExp(`^\\| ${head} .*\\n(?:\\|.*\\n)+`, 'm').exec(text)![0];
  const rows = table.trim().split('\n').slice(2);
  return rows.map((row) => /^\| `([^`]+)`/.exec(row)![1]!);
}

describe('the README on observing', () => {
  test('Events has every type', () => {
    expect(firstCells('Events', 'type').toSorted()).toEqual(eventTypes.toSorted());
  });

  test('Prometheus has every metric with its kind, and every option', async () => {
    const { app } = await startApp({ imports: [JobsMetricsModule.forRoot({ path: false })] });
    const text = await app.get(JobsMetrics).text();
    const kinds = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)];
    expect(firstCells('Prometheus', 'metric')).toEqual(kinds.map(([, name]) => name));
    for (const [, name, kind] of kinds)
      expect(readme).toMatch(new RegExp(`^\\| \`${name}\` +\\| ${kind} `, 'm'));
    const options = optionsOf('lib/observe/metrics/jobs-metrics.module.ts', 'JobsMetricsOptions');
    expect(firstCells('Prometheus', 'option')).toEqual(options.map(({ name }) => name));
  });

  test('OpenTelemetry has every metric with its kind, and no attribute that is not there', () => {
    const folder = 'lib/observe/telemetry/';
    const source = readdirSync(folder)
      .map((file) => readFileSync(folder + file, 'utf8'))
      .join('\n');
    const made = [...source.matchAll(/meter\.create(Histogram|Counter|ObservableGauge)\('([^']+)'/g)];
    const kinds = new Map(
      made.map(([, kind, name]) => [name!, kind!.replace('Observable', '').toLowerCase()]),
    );
    expect(firstCells('OpenTelemetry', 'metric').toSorted()).toEqual([...kinds.keys()].toSorted());
    for (const [name, kind] of kinds)
      expect(readme).toMatch(new RegExp(`^\\| \`${name}\` +\\| ${kind} `, 'm'));
    const { text } = sectionsOf(readme).find(({ heading }) => heading === 'OpenTelemetry')!;
    const attributes = [...text.matchAll(/`((?:messaging|nestjs_jobs|error)\.[a-z_.]+)`/g)].map(
      ([, name]) => name!,
    );
    expect(attributes.length).toBeGreaterThan(10);
    expect(attributes.filter((name) => !source.includes(`'${name}'`))).toEqual([]);
    const used = new Set(
      [...source.matchAll(/'((?:messaging|nestjs_jobs|error)\.[a-z_.]+)'/g)].map(([, name]) => name),
    );
    expect([...used].filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });
});
