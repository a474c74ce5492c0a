import { describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { Job, OnTask, Task, type JobEvent } from 'nestjs-jobs';
import type { Backend } from '../../lib/backend/backend.js';
import { memoryBackend } from '../../lib/backend/memory/memory-backend.js';
import { startApp } from '../support/app.js';
import { gate } from './fixtures/gate.js';

/** A store whose bell tells no runner that a task is to stop, as where a message was lost. */
function deafBackend(): Backend {
  const backend = memoryBackend();
  const { bell } = backend;
  const ring = bell.ring.bind(bell);
  bell.ring = (queue, cancelledId) => {
    if (cancelledId === undefined) ring(queue);
  };
  return backend;
}

describe('a run whose task was asked to stop, of which its runner had not heard', () => {
  it.each([
    ['fails and would run again', (task: Task) => task.fail('no')],
    ['fails for good', (task: Task) => task.fail('no', { retry: false })],
    ['snoozes', (task: Task) => task.snooze('1s')],
  ])('is told of as cancelled where it %s, by event, line and count', async (_, end) => {
    const over = gate();
    const heard: string[] = [];
    @Job({ name: 'Long', retries: 3 })
    class Long {
      async run(_params: void, task: Task): Promise<void> {
        await over.opened;
        end(task);
      }
    }
    @Injectable()
    class Ear {
      @OnTask('failed', 'dead', 'snoozed', 'cancelled')
      hear({ type }: JobEvent): void {
        heard.push(type);
      }
    }
    const app = await startApp({ providers: [Long, Ear], options: { backend: deafBackend() } });
    const { id } = await app.jobs.enqueue(Long);
    await app.advance(0);
    expect(await app.catalog.cancel(id)).toBe('requested');
    over.open();
    await app.advance(0);
    expect((await app.catalog.task(id))?.state).toBe('cancelled');
    expect(heard).toEqual(['cancelled']);
    const lines = app.lines.filter(({ context }) => context === 'Long').map(({ message }) => message);
    expect(lines).toEqual([`task ${id} started`, `task ${id} was cancelled`]);
    await app.advance(20_000);
    expect(await app.catalog.jobs()).toMatchObject([
      { name: 'Long', runs: { failed: 0, dead: 0, cancelled: 1 } },
    ]);
  });
});
