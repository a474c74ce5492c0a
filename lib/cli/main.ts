#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { downSql, upSql } from '../backend/postgres/schema-sql.js';

const usage = `Usage: nestjs-jobs sql [--schema jobs] [--from 0] [--down]

Prints the SQL that makes the schema of the postgres backend, or brings it from a version to the newest, for teams that run
their migrations themselves (postgresBackend({ migrate: false })). With --down: the SQL that takes all of it away again,
with every task in it.
`;

/** Prints what was asked for; answers the exit code. */
function run(args: string[]): number {
  const options = {
    schema: { type: 'string', default: 'jobs' },
    from: { type: 'string', default: '0' },
    down: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  } as const;
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const { schema, from, down, help } = values;
    if (help || positionals.join() !== 'sql' || schema === '' || !/^\d+$/.test(from)) {
      (help ? process.stdout : process.stderr).write(usage);
      return help ? 0 : 2;
    }
    const sql = down ? downSql(schema) : upSql(schema, Number(from));
    process.stdout.write(`BEGIN;\n${sql}\nCOMMIT;\n`);
    return 0;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}`);
    return 2;
  }
}

process.exitCode = run(process.argv.slice(2));
