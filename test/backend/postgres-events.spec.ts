import { describe, expect, it } from '@jest/globals';
import type { Backend } from '../../lib/backend/backend.js';
import { eventually } from '../support/app.js';
import { onOwnSchema } from '../support/postgres-schema.js';

const { schema, pool, open } = onOwnSchema();

async function hearing(backend: Backend): Promise<string[]> {
  const texts: string[] = [];
  await backend.events.listen((text) => texts.push(text));
  return texts;
}

/** Ends the connections on which processes of the schema listen. */
async function endListeners(): Promise<void> {
  const ended = await pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE application_name = $1 AND (query LIKE '%LISTEN %' OR query LIKE '%tell_v1%' OR query = 'SELECT 1')`,
    [schema],
  );
  expect(ended.rowCount).toBeGreaterThan(0);
}

describe('The wire for events on PostgreSQL', () => {
  it('carries to another process what does not fit into one notification, in order and to the letter', async () => {
    const [here, there] = [await open(), await open()];
    const texts = await hearing(there);
    const sent = [
      ...Array.from({ length: 50 }, (_, n) => `${n} ${'x'.repeat(990)}`),
      '"'.repeat(4_000),
      '\\'.repeat(4_000),
      'ü'.repeat(2_000),
      '\u{1f600}'.repeat(1_000),
      '\0'.repeat(4_000),
      'last',
    ];
    for (const text of sent) here.events.send(text);
    await eventually(() => texts.includes('last'));
    expect(texts).toEqual(sent);
  });

  it('carries equal texts as often as they are sent', async () => {
    const [here, there] = [await open(), await open()];
    const texts = await hearing(there);
    const sent = Array.from({ length: 20 }, () => 'x'.repeat(4_000));
    for (const text of [...sent, 'last']) here.events.send(text);
    await eventually(() => texts.includes('last'));
    expect(texts).toEqual([...sent, 'last']);
  });

  it('is heard again after its connections were ended, from both sides', async () => {
    const [here, there] = [await open(), await open()];
    const [heardHere, heardThere] = [await hearing(here), await hearing(there)];
    for (let round = 0; round < 3; round++) {
      await endListeners();
      const [to, fro] = [`to ${round}`, `fro ${round}`];
      // What is sent while there is no connection is lost.
      await eventually(() => {
        here.events.send(to);
        there.events.send(fro);
        return heardThere.includes(to) && heardHere.filter((text) => text === fro).length > 0;
      });
    }
    expect(heardThere.filter((text) => text.startsWith('to 0')).length).toBeGreaterThan(0);
  });

  it('carries nothing beyond the process where the database must not notify', async () => {
    const [quiet, there] = [await open({ notify: false }), await open()];
    const [own, others] = [await hearing(quiet), await hearing(there)];
    quiet.events.send('quiet');
    there.events.send('loud');
    await eventually(() => own.length > 0 && others.length > 0);
    // A round trip after both: nothing else is on its way.
    await pool.query(`SELECT "${schema}".tell_v1($1)`, [
      JSON.stringify([JSON.stringify(['nobody', 1, 'end'])]),
    ]);
    await eventually(() => others.includes('end'));
    expect([own, others]).toEqual([['quiet'], ['loud', 'end']]);
  });

  it('is not disturbed by what others put on its channel', async () => {
    const there = await open();
    const texts = await hearing(there);
    for (const stray of ['', 'x', '{}', '[', 'null', '[1]'])
      await pool.query('SELECT pg_notify($1, $2)', [`${schema}:told`, stray]);
    (await open()).events.send('ours');
    await eventually(() => texts.length > 0);
    expect(texts).toEqual(['ours']);
  });

  it('asks the database for notifications only while somebody hears them', async () => {
    const there = await open();
    const stop = await there.events.listen(() => undefined);
    const lastOf = async () =>
      (
        await pool.query<{ query: string }>(
          `SELECT query FROM pg_stat_activity WHERE application_name = $1 AND query LIKE '%LISTEN "${schema}:told"'
           ORDER BY query_start DESC LIMIT 1`,
          [schema],
        )
      ).rows[0]?.query;
    await eventually(async () => (await lastOf()) === `LISTEN "${schema}:told"`);
    stop();
    await eventually(async () => (await lastOf()) === `UNLISTEN "${schema}:told"`);
  });
});
