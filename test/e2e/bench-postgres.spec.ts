import { describe, expect, test } from '@jest/globals';
import { openProbe } from '../bench/postgres/child/probe.js';
import { systems } from '../bench/postgres/child/systems.js';
import { Databases } from '../bench/postgres/databases.js';
import { postgresBench, postgresMeasures } from '../bench/postgres/postgres-store.js';
import { ours, raw } from '../bench/side-by-side/system.js';
import { askHere, faultsOf, tiny } from '../support/bench-here.js';
import { ownPostgres } from '../support/own-postgres.js';

/** What only ours has, or what the raw limit leaves out. */
const withoutRaw = ['queues', 'features', 'unique', 'due', 'idle', 'flat', 'snapshot'];

describe('The benchmark on PostgreSQL', () => {
  const opened = (async () => {
    const { url } = await ownPostgres({ fsync: 'off', full_page_writes: 'off' });
    const bench = postgresBench(new Databases(url), tiny([ours, raw]), askHere(systems, openProbe));
    return { ...bench, say: () => undefined };
  })();

  test.each(Object.keys(postgresMeasures))('measures %s', async (name) => {
    const figures = await postgresMeasures[name]!(await opened);
    expect(figures.length).toBeGreaterThan(0);
    expect(figures.flatMap(faultsOf)).toEqual([]);
    const measured = withoutRaw.includes(name) ? [ours] : [ours, raw];
    for (const { values } of figures) expect(Object.keys(values)).toEqual(measured);
  });
});
