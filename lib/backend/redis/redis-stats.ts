import type { TaskRef } from '../../task/task-record.js';
import type {
  JobFigures,
  LiveRunner,
  RunnerReport,
  SlotOutcome,
  StatsStore,
  Throughput,
} from '../stats-store.js';
import type { Arguments } from './redis-arguments.js';
import type { RedisConnection } from './redis-connection.js';
import { readJobFigures, readLiveRunner, readSpans, runArguments, slotArguments } from './redis-figures.js';

/** Jobs and slots that one script call takes at most: others wait while it runs. */
const itemsPerCall = 200;
/** Queues whose jobs one script call reads at most. */
const queuesPerCall = 100;

export class RedisStats implements StatsStore {
  constructor(private readonly connection: RedisConnection) {}

  /** All calls leave at once: those of a part of the store that is silent do not keep the others. */
  async report({ runner, aliveMs, runs, slots }: RunnerReport): Promise<void> {
    const items: Item[] = [
      ...runs.map((run) => ({ queue: run.queue, job: runArguments(run) })),
      ...slots.map((slot) => ({ queue: slot.queue, slot: slotArguments(slot) })),
    ];
    const calls: Promise<unknown>[] = [
      this.connection.run('runners', [], ['alive', runner.name, Math.round(aliveMs), JSON.stringify(runner)]),
    ];
    for (const part of this.connection.sharing(items))
      for (let from = 0; from < part.length; from += itemsPerCall)
        calls.push(this.count(part.slice(from, from + itemsPerCall)));
    for (const answer of await Promise.allSettled(calls))
      if (answer.status === 'rejected') throw answer.reason;
  }

  async leave(runner: string): Promise<void> {
    await this.connection.run('runners', [], ['leave', runner]);
  }

  async runners(): Promise<LiveRunner[]> {
    return ((await this.connection.run('runners', [], ['list'])) as string[]).map(readLiveRunner);
  }

  async jobs(queues: readonly string[]): Promise<JobFigures[]> {
    const parts = this.connection.sharing([...new Set(queues)].map((queue) => ({ queue })));
    const asking = parts.map(async (part) => {
      const figures: JobFigures[] = [];
      for (let from = 0; from < part.length; from += queuesPerCall) {
        const some = part.slice(from, from + queuesPerCall).map(({ queue }) => queue);
        const [, ...reply] = (await this.connection.run('readStats', some, ['jobs'])) as string[];
        for (let at = 0; at < reply.length; at += 3)
          figures.push(readJobFigures(some[Number(reply[at])]!, reply[at + 1]!, reply[at + 2]!));
      }
      return figures;
    });
    const places = new Map([...new Set(queues)].map((queue, place) => [queue, place]));
    const order = ({ queue }: JobFigures) => places.get(queue)!;
    return (await Promise.all(asking))
      .flat()
      .sort((a, b) => order(a) - order(b) || (a.job < b.job ? -1 : Number(a.job > b.job)));
  }

  async throughput(queue: string): Promise<Throughput> {
    const [now, ...reply] = (await this.connection.run('readStats', [queue], ['throughput'])) as string[];
    return readSpans(Number(now), reply);
  }

  async slots({ queue, id }: TaskRef): Promise<SlotOutcome[]> {
    const [, text] = (await this.connection.run('readStats', [queue], ['slots', id])) as string[];
    return text ? text.split('\n').map((entry) => JSON.parse(entry) as SlotOutcome) : [];
  }

  /** Items of queues that one call can bring. */
  private count(items: readonly Item[]): Promise<unknown> {
    const queues = [...new Set(items.map(({ queue }) => queue))];
    const args = queues.flatMap((name) => {
      const here = items.filter(({ queue }) => queue === name);
      const jobs = here.flatMap(({ job }) => (job ? [job] : []));
      const slots = here.flatMap(({ slot }) => (slot ? [slot] : []));
      return [jobs.length, ...jobs.flat(), slots.length, ...slots.flat()];
    });
    return this.connection.run('report', queues, args);
  }
}

/** What a report tells of a queue: the runs of a job, or how a slot ended. */
interface Item {
  readonly queue: string;
  readonly job?: Arguments;
  readonly slot?: Arguments;
}
