import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { PostgresBell } from '../../lib/backend/postgres/postgres-bell.js';
import type { Ring } from '../../lib/backend/postgres/postgres-ring.js';
import type { NewTask } from '../../lib/task/task-record.js';
import { eventually } from '../support/app.js';
import { onOwnSchema } from '../support/postgres-schema.js';

const { open } = onOwnSchema();

const task = (queue: string): NewTask => {
  const id = randomUUID();
  return { queue, id, token: id, job: 'Job', params: '1', priority: 0, due: { inMs: 0 }, retries: 3 };
};

describe('The bell of tasks that were added', () => {
  it('rings once in their own process, and once in another, however many they are', async () => {
    const [near, far] = [await open(), await open()];
    const [queue, last] = [randomUUID(), randomUUID()];
    const heard: string[] = [];
    await near.bell.listen([queue, last], (rung) => heard.push(`near ${rung}`));
    await far.bell.listen([queue, last], (rung) => heard.push(`far ${rung}`));
    await near.tasks.add([[task(queue), task(queue)]]);
    // By then the first has been heard by all who hear of it.
    await near.tasks.add([[task(last)]]);
    await eventually(() => heard.includes(`far ${last}`));
    expect(heard.toSorted()).toEqual(
      [`far ${last}`, `far ${queue}`, `near ${last}`, `near ${queue}`].toSorted(),
    );
  });

  it('is rung by the wire where it could not be right behind them', () => {
    const sent: Ring[] = [];
    const wire = {
      open: async () => undefined,
      send: async (rings: readonly Ring[]) => sent.push(...rings) > 0,
      close: async () => undefined,
    };
    const ring = new PostgresBell(wire, 'me', 'jobs').behind(['a', 'b', 'a'])!;
    expect(ring.texts()).toEqual(['jobs:bell', String.raw`{"[\"t\",\"a\",\"me\"]","[\"t\",\"b\",\"me\"]"}`]);
    expect(sent).toEqual([]);
    ring.failed(new Error('a connection ended'));
    expect(sent).toMatchObject([['t', 'a', 'me']]);
  });

  it.each(['plain', 'a\0b', 'a\ud800b', 'a\u{10ffff}b', 'a\x1eb', 'a"b\\c', 'a\u{10ffff}0000\0b'])(
    'names a task that is to be cancelled in another process, whatever its id: %j',
    async (id) => {
      const [near, far] = [await open(), await open()];
      const queue = randomUUID();
      const heard: (string | undefined)[] = [];
      await far.bell.listen([queue], (_, cancelledId) => heard.push(cancelledId));
      near.bell.ring(queue, id);
      await eventually(() => heard.length === 1);
      expect(heard).toEqual([id]);
    },
  );
});
