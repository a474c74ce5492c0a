import type { JobClass } from '../../lib/job/job-handler.js';
import { Enqueuing } from './enqueuing.js';
import { everyMs, periodicJobs, plainJobs, queueNames, rareJob, uniqueJobs } from './sim-jobs.js';
import { SimProcess, type Sim } from './sim-process.js';
import type { Incident } from './weather.js';

const longestHealingMs = 900_000;
const idleMs = 30_000;

/** Makes a world's processes, troubles them for a while, heals all, and sees how it ends. */
export class Driver {
  private readonly processes: SimProcess[] = [];
  private count = 0;
  private readonly enqueuing: Enqueuing;

  constructor(private readonly sim: Sim) {
    this.enqueuing = new Enqueuing(sim);
  }

  async run(): Promise<void> {
    const { world, weather } = this.sim;
    const beganAt = world.now;
    for (let process = 0; process < weather.processes; process++) this.begin(process === 0);
    this.planEnqueues();
    this.planIncidents();
    await world.run(beganAt + weather.faultsForMs);
    await this.heal();
    await this.end();
  }

  private get alive(): SimProcess[] {
    return this.processes.filter((process) => process.isAlive && !process.isStopping);
  }

  private begin(isWhole: boolean): void {
    const { random, world } = this.sim;
    const rare: JobClass[] = isWhole || random.chance(0.6) ? [rareJob] : [];
    const jobs = [...plainJobs, ...uniqueJobs, ...rare, ...periodicJobs];
    const concurrency = random.pick([1, 2, 4, 10]);
    const process = new SimProcess(`p${++this.count}`, this.sim, jobs, concurrency);
    this.processes.push(process);
    world.after(random.between(0, 50), () => void process.boot(), process);
  }

  private planEnqueues(): void {
    const { random, world, weather } = this.sim;
    for (let task = 0; task < weather.tasks; task++) {
      const atMs = random.between(0, weather.faultsForMs);
      world.after(atMs, () => {
        if (this.alive.length > 0) this.enqueuing.by(random.pick(this.alive));
      });
    }
  }

  private planIncidents(): void {
    const { random, world, weather } = this.sim;
    let atMs = random.between(0, weather.incidentEveryMs);
    for (; atMs < weather.faultsForMs; atMs += random.between(0, 2 * weather.incidentEveryMs))
      world.after(atMs, () => this.incident());
  }

  private incident(): void {
    const { random, weather } = this.sim;
    const all = Object.entries(weather.incidents) as [Incident, number][];
    let left = random.next() * all.reduce((sum, [, share]) => sum + share, 0);
    const incident = all.find(([, share]) => (left -= share) < 0)?.[0];
    const { alive } = this;
    if (incident && alive.length > 0) this.cause(incident, random.pick(alive));
  }

  private cause(incident: Incident, process: SimProcess): void {
    const { random, weather, network, world } = this.sim;
    const spanMs = random.longTailed(50, 3 * weather.leaseMs);
    switch (incident) {
      case 'kill':
        process.die();
        return this.replaceLater();
      case 'stop':
        process.stop();
        return this.replaceLater();
      case 'stall':
        return process.stall(spanMs);
      case 'cut-off':
        process.cutOff = { what: random.pick(['requests', 'replies', 'both']), until: world.now + spanMs };
        return;
      case 'silence':
        return network.silence(random.int(0, weather.parts - 1), spanMs);
      case 'clock':
        process.clock.aheadMs = Math.round(random.between(-3_600_000, 3_600_000));
        return;
      case 'operator':
        return this.operate();
    }
  }

  private replaceLater(): void {
    const { random, world, network } = this.sim;
    world.after(random.between(10, 5_000), () => {
      if (!network.isCalm) this.begin(random.chance(0.7));
    });
  }

  /** Somebody at the catalog. */
  private operate(): void {
    const { random, store } = this.sim;
    const { memory, watch } = store;
    const tasks = watch.tasks();
    const queue = random.pick(queueNames);
    const act = async (): Promise<string> => {
      if (tasks.length === 0 || random.chance(0.2)) {
        await memory.catalog.pause(queue, random.between(100, 5_000));
        return 'pause';
      }
      const ref = random.pick(tasks).given;
      const what = random.pick(['cancel', 'retry', 'runNow', 'remove'] as const);
      const [answer] = await memory.catalog[what]([ref]);
      if (answer === 'requested') memory.bell.ring(ref.queue, ref.id);
      return what;
    };
    void act().then((what) => watch.observe({ process: 'operator', what }));
  }

  /** From here on all answer and nobody dies; what was troubled must come to its end. */
  private async heal(): Promise<void> {
    const { network, world, history, store } = this.sim;
    network.calm();
    history.add({ type: 'healed' });
    this.begin(true);
    for (const queue of queueNames) await store.memory.catalog.resume(queue);
    const healedAt = world.now;
    await world.run(healedAt + 10_000);
    for (const { queue, id } of scheduled()) await store.memory.schedules.pause({ queue, id });
    await world.run(healedAt + longestHealingMs, () => this.isQuiet);
    if (!this.isQuiet) return;
    history.add({ type: 'rest' });
    await world.run(world.now + idleMs);
  }

  private get isQuiet(): boolean {
    const { store, network, world } = this.sim;
    const isRunning = this.processes.some(
      ({ isAlive, runs, enqueues, stalledUntil }) =>
        isAlive && (runs + enqueues > 0 || stalledUntil > world.now),
    );
    return store.watch.unfinished === 0 && network.callsOnTheWay === 0 && !isRunning;
  }

  private async end(): Promise<void> {
    const { world, store, history } = this.sim;
    for (const process of this.alive) process.stop();
    await world.run(world.now + 120_000);
    store.watch.list();
    for (const { queue, id } of scheduled()) {
      const schedule = await store.memory.schedules.get({ queue, id });
      if (!schedule) continue;
      const { firstSlot, lastSlot, fired, skipped } = schedule;
      history.add({
        type: 'schedule',
        queue,
        id,
        everyMs: everyMs[id]!,
        firstSlot,
        lastSlot,
        fired,
        skipped,
      });
    }
  }
}

function scheduled(): { queue: string; id: string }[] {
  return periodicJobs.map(({ name }, at) => ({ queue: queueNames[at]!, id: name }));
}
