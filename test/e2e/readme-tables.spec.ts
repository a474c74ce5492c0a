import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import * as library from 'nestjs-jobs';
import * as testing from 'nestjs-jobs/testing';
import { upSql } from '../../lib/backend/postgres/schema-sql.js';
import { transactionAdapters } from '../../lib/backend/postgres/transaction/join-transaction.js';
import { RedisKeys } from '../../lib/backend/redis/redis-keys.js';
import { eventLevels } from '../../lib/job/log-settings.js';
import { errorsOf, optionsOf } from '../support/readme-options.js';
import { publicNames, readme, rowsOf, sectionsOf, tableOf } from '../support/readme.js';

type Class = new (...args: never[]) => object;

const sections = sectionsOf(readme);

describe('the README keeps up with the code', () => {
  test.each([
    ['Module options', 'lib/jobs.options.ts', 'JobsOptions'],
    ['Module options', 'lib/jobs.options.ts', 'RetentionOptions'],
    ['Runner', 'lib/jobs.options.ts', 'RunnerOptions'],
    ['Logging', 'lib/jobs.options.ts', 'LogOptions'],
    ['Health', 'lib/health/health-options.ts', 'HealthOptions'],
    ['Options of the dashboard', 'lib/dashboard/dashboard-options.ts', 'DashboardMount'],
    ['Options of the dashboard', 'lib/dashboard/dashboard-options.ts', 'DashboardSettings'],
    ['Options of the dashboard', 'lib/dashboard/dashboard-options.ts', 'TroubleBounds'],
    ['Choosing it', 'lib/backend/redis/redis-target.ts', 'RedisBackendOptions'],
    ['Where the database is', 'lib/backend/postgres/postgres-target.ts', 'PostgresBackendOptions'],
    ['Declaring a job', 'lib/job/job-options.ts', 'JobOptions'],
    ['Enqueueing', 'lib/task/enqueue-options.ts', 'EnqueueDefaults'],
    ['Enqueueing', 'lib/task/enqueue-options.ts', 'EnqueueOptions'],
    ['Unique jobs', 'lib/task/unique-options.ts', 'UniqueOptions'],
    ['Options of a schedule', 'lib/task/schedule-options.ts', 'ScheduleOptions'],
    ['Options of a test', 'lib/testing/testing-options.ts', 'TestingOptions'],
    ['Options of a schedule', 'lib/job/recurring-options.ts', 'RecurringOptions'],
  ])('%s has every option of %s, %s, with its default', (heading, file, name) => {
    const rows = rowsOf(heading);
    const options = optionsOf(file, name);
    expect(options.length).toBeGreaterThan(0);
    expect(options.map((option) => option.name).filter((option) => !rows.has(option))).toEqual([]);
    for (const { name: option, literalDefault } of options)
      if (literalDefault !== undefined) expect(rows.get(option)).toContain(`\`${literalDefault}\``);
  });

  test('Errors has every error class with its code', () => {
    const files = [
      'lib/task/errors.ts',
      'lib/job/errors.ts',
      'lib/queue/errors.ts',
      'lib/jobs-root.ts',
      'lib/backend/errors.ts',
      'lib/testing/errors.ts',
      'lib/catalog/errors.ts',
    ];
    const declared = files.flatMap(errorsOf);
    const exported = Object.keys({ ...library, ...testing }).filter(
      (name) => name.endsWith('Error') && name !== 'JobsError',
    );
    expect(declared.map(({ name }) => name).sort()).toEqual(exported.sort());
    const rows = rowsOf('Errors');
    for (const { name, codes } of declared)
      for (const code of codes) expect(rows.get(name)).toContain(`\`${code}\``);
  });

  test('Keys has every key of a queue', () => {
    const keys = [...new RedisKeys('jobs').of('mail'), new RedisKeys('jobs').calls('mail', '*')];
    const rows = rowsOf('Keys');
    expect(keys.filter((key) => !rows.has(key.split(':')[2]!))).toEqual([]);
    expect(rows.size).toBe(keys.length);
  });

  test('Durability has every level', () => {
    const levels = Object.keys({ none: 1, snapshots: 1, everysec: 1, always: 1, unknown: 1 } satisfies Record<
      library.Durability,
      1
    >);
    expect([...rowsOf('Durability').keys()]).toEqual(levels);
  });

  test('Tables has every table of the schema, and no column of tasks that is not there', () => {
    const sql = upSql('jobs');
    const made = [...sql.matchAll(/^CREATE TABLE (?:IF NOT EXISTS )?(\w+)/gm)].map(([, name]) => name!);
    const tasks = /^CREATE TABLE tasks \(\n([\s\S]*?)^\)/m.exec(sql)![1]!;
    const columns = [...tasks.matchAll(/^ {2}([a-z_]+) [a-z]/gm)].map(([, name]) => name!);
    const { text } = sections.find(({ heading }) => heading === 'Tables')!;
    const [tables, ofTasks] = text.split('| column of').map((part) =>
      part
        .split('\n')
        .filter((line) => line.startsWith('| `'))
        .flatMap((line) => line.split('|')[1]!.match(/\w+/g)!),
    );
    expect(tables!.toSorted()).toEqual(made.toSorted());
    expect(columns.length).toBeGreaterThan(30);
    expect(ofTasks!.length).toBeGreaterThan(20);
    expect(ofTasks!.filter((column) => !columns.includes(column))).toEqual([]);
  });

  test('What a crash costs has levels that there are', () => {
    const levels = ['always', 'everysec', 'none'] satisfies library.Durability[];
    expect([...rowsOf('What a crash costs').keys()]).toEqual(levels);
  });

  test('every library whose transactions can be joined has its row', () => {
    const rows = tableOf('Jobs that commit with your data').slice(1);
    expect(rows).toHaveLength(transactionAdapters.length);
    const names = transactionAdapters.map(({ name }) => name.toLowerCase());
    const unknown = rows.filter(([row]) => !names.some((name) => name.includes(row!.toLowerCase())));
    expect(unknown).toEqual([]);
  });

  test('JobCatalog and The task have every public method', () => {
    // A chapter of the second level, its parts included; of a lower one, the part alone.
    const text = (heading: string) =>
      readme.split(/^(?=## )/m).find((chapter) => chapter.startsWith(`## ${heading}\n`)) ??
      sections.find((section) => section.heading === heading)!.text;
    const missing = (type: Class, heading: string, inside: string[]) =>
      Object.getOwnPropertyNames(type.prototype).filter(
        (name) => name !== 'constructor' && !inside.includes(name) && !text(heading).includes(`\`${name}`),
      );
    expect(missing(library.JobCatalog, 'JobCatalog', [])).toEqual([]);
    const internal = ['verdict', 'abort', 'end', 'storedAs', 'mask', 'completing'];
    expect(missing(library.Task, 'The task', internal)).toEqual([]);
  });

  test('Logging has the level of every event, and Health every problem', () => {
    const text = (heading: string) => sections.find((section) => section.heading === heading)!.text;
    const rows = text('Logging')
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    for (const [event, level] of Object.entries(eventLevels))
      expect(rows.filter((row) => new RegExp(`\`${event}\`.*\\| \`${level}\` +\\|$`).test(row))).toHaveLength(
        1,
      );
    const source = readFileSync('lib/health/health-report.ts', 'utf8');
    const codes = [...source.matchAll(/^ {2}\| '([\w-]+)'/gm)].map(([, code]) => code!);
    expect(codes.length).toBeGreaterThan(5);
    for (const code of codes) expect(text('Health')).toContain(`| \`${code}\``);
  });

  test('the dashboard has every trouble that it shows', () => {
    const source = readFileSync('lib/dashboard/api/overview.ts', 'utf8');
    const codes = [...source.matchAll(/^ {2}\| '([\w-]+)'/gm)].map(([, code]) => code!);
    const { text } = sections.find(({ heading }) => heading === 'What is shown as a trouble')!;
    expect(codes.length).toBeGreaterThan(5);
    for (const code of codes) expect(text).toContain(`| \`${code}\``);
  });

  test('every exported class and function is mentioned', () => {
    const silent = [...publicNames().values].filter((name) => !new RegExp(`\\b${name}\\b`).test(readme));
    expect(silent).toEqual([]);
  });

  test('every file it points to exists', async () => {
    const { access } = await import('node:fs/promises');
    const linked = [...readme.matchAll(/\]\(([^)#:]+)\)/g)].map(([, path]) => path!);
    const named = [...readme.matchAll(/`((?:queue|job|task|runner|catalog|backend)\/[\w/-]+\.ts)`/g)];
    expect(linked.length * named.length).toBeGreaterThan(0);
    for (const path of [...linked, ...named.map(([, path]) => `lib/${path}`)]) await access(path);
  });

  test('every heading it links to exists', () => {
    const anchors = sections.map(({ heading }) =>
      heading
        .toLowerCase()
        .replace(/[^\w\- ]/g, '')
        .replace(/ /g, '-'),
    );
    const linked = [...readme.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor);
    expect(linked.filter((anchor) => !anchors.includes(anchor!))).toEqual([]);
  });
});
