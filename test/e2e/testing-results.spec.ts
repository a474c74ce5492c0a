import { describe, expect, it } from '@jest/globals';
import { Job, ResultMissingError, TaskCancelledError, type JobHandler } from 'nestjs-jobs';
import { startUnderTest } from './fixtures/testing-app.js';

@Job()
class Forgotten implements JobHandler<void, number> {
  run() {
    return 7;
  }
}

const start = () => startUnderTest({ providers: [Forgotten] });

describe('A result that is awaited while time stands still', () => {
  it('is missing where the task has run and is not kept', async () => {
    const { queue, jobs } = await start();
    const waiting = queue.result(await queue.enqueue(Forgotten));
    await jobs.drain();
    await expect(waiting).rejects.toBeInstanceOf(ResultMissingError);
  });

  it('is missing of a task that is known by its id alone, too', async () => {
    const { queue, jobs } = await start();
    const { id } = await queue.enqueue(Forgotten, undefined, { in: '1h' });
    const waiting = queue.result(id, { timeout: '2h' });
    await jobs.advance('1h');
    await expect(waiting).rejects.toBeInstanceOf(ResultMissingError);
  });

  it('is that of a cancelled task where the catalog cancels it', async () => {
    const { queue, catalog } = await start();
    const task = await queue.enqueue(Forgotten, undefined, { in: '1h' });
    const waiting = queue.result(task, { timeout: '2h' });
    await catalog.cancel(task.id);
    await expect(waiting).rejects.toBeInstanceOf(TaskCancelledError);
  });

  it('is missing where the test clears what was enqueued', async () => {
    const { queue, jobs } = await start();
    const waiting = queue.result(await queue.enqueue(Forgotten));
    await jobs.clear();
    await expect(waiting).rejects.toBeInstanceOf(ResultMissingError);
  });
});
