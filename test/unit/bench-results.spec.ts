import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from '@jest/globals';
import { chartOf } from '../bench/results/chart.js';
import { blockOf, ResultFiles } from '../bench/results/files.js';
import { readmeBlock } from '../bench/results/readme-tables.js';
import { merge, originsOf, written, type Result } from '../bench/results/result.js';
import type { Measured, StoreName } from '../bench/store.js';

const stores: StoreName[] = ['memory', 'redis', 'postgres'];
const order = ['process', 'enqueue', 'idle'];

const measured = (measure: string, value: number, more: Partial<Measured> = {}): Measured => ({
  measure,
  date: '2026-01-02',
  rounds: 3,
  about: { machine: 'Abacus, 2 cores', versions: 'Node 20.1.2', settings: 'on loopback', disk: '1 ms' },
  systems: ['nestjs-jobs', 'BullMQ'],
  figures: [
    {
      work: `${measure}, somehow`,
      unit: 'tasks/s',
      values: { 'nestjs-jobs': value, BullMQ: 1_000 },
      spread: { 'nestjs-jobs': [value - 100, value + 100], BullMQ: [900, 1_100] },
    },
  ],
  ...more,
});

describe('The figures that the project quotes', () => {
  test.each(stores)('are in the README as they are kept: %s', (store) => {
    expect(blockOf(readFileSync('README.md', 'utf8'), store)).toBe(
      readmeBlock(new ResultFiles().read(store)),
    );
  });

  test.each(stores)('are in the chart as they are kept: %s', (store) => {
    expect(readFileSync(`docs/bench/${store}.svg`, 'utf8')).toBe(chartOf(new ResultFiles().read(store)));
  });

  test.each(stores)('are kept as the benchmark writes them: %s', (store) => {
    expect(readFileSync(`docs/bench/${store}.json`, 'utf8')).toBe(written(new ResultFiles().read(store)));
  });
});

describe('A result', () => {
  const empty: Result = { store: 'redis', measures: {} };

  it('is put together from several runs, each measure with its own day and rounds', () => {
    const first = merge(empty, [measured('process', 5_000), measured('idle', 1)], order);
    const later = merge(first, [measured('enqueue', 7_000, { date: '2026-02-03', rounds: 9 })], order);
    expect(Object.keys(later.measures)).toEqual(order);
    expect(originsOf(later, ['disk'])).toEqual([
      'measured: process, idle on 2026-01-02, 3 rounds; enqueue on 2026-02-03, 9 rounds',
      'machine: Abacus, 2 cores',
      'versions: Node 20.1.2',
      'settings: on loopback',
    ]);
  });

  it('has the latest run of a measure, and says which measure was made on what', () => {
    const again = measured('process', 6_000, { about: { machine: 'Loom, 8 cores' } });
    const result = merge(
      merge(empty, [measured('process', 5_000), measured('idle', 1)], order),
      [again],
      order,
    );
    expect(result.measures.process!.figures[0]!.values['nestjs-jobs']).toBe(6_000);
    expect(originsOf(result)).toContain('machine: Loom, 8 cores (process); Abacus, 2 cores (idle)');
  });
});

describe('Writing a result', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'nestjs-jobs-results-'));
    writeFileSync(
      join(root, 'README.md'),
      'before\n\n<!-- bench:redis -->\n<!-- /bench:redis -->\n\nafter\n',
    );
  });
  afterEach(() => rmSync(root, { recursive: true }));

  it('tables medians and ratios between the marks of the README, and leaves the rest', () => {
    new ResultFiles(root).keep('redis', [measured('process', 5_000)], order);
    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    expect(readme).toMatch(
      /^before\n\n<!-- bench:redis -->\n\n!\[[\s\S]*\n\n<!-- \/bench:redis -->\n\nafter\n$/,
    );
    expect(readme).toContain(
      [
        '| tasks per second, more is better | nestjs-jobs | BullMQ | to BullMQ |',
        '| -------------------------------- | ----------- | ------ | --------- |',
        '| process, somehow                 | 5,000       | 1,000  | 5.00×     |',
      ].join('\n'),
    );
    expect(readme).toContain('- measured: process on 2026-01-02, 3 rounds\n- machine: Abacus, 2 cores\n');
  });

  it('draws each library with its spread, and says on what', () => {
    new ResultFiles(root).keep('redis', [measured('process', 5_000)], order);
    const chart = readFileSync(join(root, 'docs/bench/redis.svg'), 'utf8');
    for (const text of [
      'process, somehow',
      'nestjs-jobs',
      '5,000',
      'BullMQ',
      '1,000',
      '2026-01-02, 3 rounds',
    ])
      expect(chart).toContain(text);
    expect(chart).toContain('machine: Abacus, 2 cores');
    expect(chart.match(/class="spread"/g)).toHaveLength(2);
    expect(chart).toContain('prefers-color-scheme: dark');
  });

  it('says the same when it is drawn again from what is kept', () => {
    const files = new ResultFiles(root);
    files.keep('redis', [measured('process', 5_123.456789)], order);
    const all = () =>
      ['README.md', 'docs/bench/redis.svg', 'docs/bench/redis.json'].map((file) =>
        readFileSync(join(root, file), 'utf8'),
      );
    const before = all();
    files.keep('redis', [], order);
    expect(all()).toEqual(before);
  });

  it('refuses a README without its marks', () => {
    expect(() => new ResultFiles(root).keep('postgres', [measured('process', 1)], order)).toThrow(
      'the README has no <!-- bench:postgres -->',
    );
  });
});
