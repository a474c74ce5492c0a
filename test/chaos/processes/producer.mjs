// Enqueues all the time, whatever the store says, and writes down what it asked for and what it was answered.
import { queues } from './jobs.mjs';
import { now } from './notes.mjs';

const mostAtOnce = 200;
const laterMs = 10_000;

/** The same numbers for the same seed (mulberry32). */
function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export class Producer {
  count = 0;
  open = new Set();

  constructor(queue, jobs, { name, note, seed, everyMs, longMs, isTransactional }) {
    Object.assign(this, { queue, jobs, name, note, everyMs, longMs, isTransactional });
    this.random = seeded(seed);
  }

  start() {
    this.timer = setInterval(() => {
      if (this.open.size < mostAtOnce) this.enqueue(this.next());
    }, this.everyMs);
  }

  /** Makes no more, and waits for what is under way. */
  async finish() {
    clearInterval(this.timer);
    await Promise.all(this.open);
  }

  /** Other tasks than the usual ones. */
  async also(kind, times) {
    for (let time = 0; time < times; time++) {
      const call = kind === 'Poison' ? { job: kind, params: {}, retries: 1 } : this.special(kind);
      this.enqueue(call);
    }
  }

  special(kind) {
    const ms = kind === 'Blocking' ? this.longMs : 10;
    // Long enough for somebody to spoil its record before it runs.
    if (kind === 'Later') return { job: kind, params: { ms }, options: { in: laterMs } };
    return { job: kind, params: { ms } };
  }

  next() {
    const chance = this.random();
    const ms = Math.floor(this.random() * 40);
    if (this.isTransactional && chance < 0.3) return { job: 'Booking', params: { ms } };
    if (chance < 0.4) return { job: 'Failing', params: { times: 1 + Math.floor(this.random() * 2) } };
    if (chance < 0.5) return { job: 'Single', params: { ms, key: Math.floor(this.random() * 5) } };
    if (chance < 0.65)
      return { job: 'Plain', params: { ms }, options: { in: Math.floor(this.random() * 1_500) } };
    if (chance < 0.67) return { job: 'Plain', params: { ms: this.longMs } };
    // No priorities: what is recovered keeps its due time, and so comes before what is newer.
    return { job: 'Plain', params: { ms } };
  }

  enqueue({ job, params, options = {}, retries = 20 }) {
    const { name, note } = this;
    // A key belongs to one queue, so that it is one key.
    const queue = params.key === undefined ? this.pick(queues) : queues[params.key % queues.length];
    const key = params.key === undefined ? undefined : `${job} ${params.key}`;
    const isNamed = this.random() < 0.5;
    const id = isNamed ? `${name}-${++this.count}` : undefined;
    const askedAt = now();
    const asked = (id, at) =>
      note({ type: 'enqueue', process: name, queue, id, job, retries, key, inMs: options.in }, at);
    if (isNamed) asked(id, askedAt);
    const call = this.queue
      .enqueue(this.jobs[job], params, { ...options, queue, ...(isNamed ? { id } : {}) })
      .then(
        (made) => {
          if (!isNamed) asked(made.id, askedAt);
          note({ type: 'acknowledged', queue, id: made.id, status: made.status, holder: made.holder });
        },
        (error) => {
          // What has no id was never a task.
          if (!isNamed && error.id !== undefined) asked(error.id, askedAt);
          const known = id ?? error.id;
          const why = String(error.message).slice(0, 200);
          if (known !== undefined) note({ type: 'refused', queue, id: known, sent: error.sent ?? true, why });
        },
      );
    this.open.add(call);
    void call.then(() => this.open.delete(call));
  }

  pick(items) {
    return items[Math.floor(this.random() * items.length)];
  }
}
