import type { EventWire } from '../backend/event-wire.js';
import type { JobsLog } from '../job/jobs-log.js';
import type { TaskEvents } from '../job/task-events.js';
import type { Clock, ClockTimer } from '../task/clock.js';
import { lineOf } from '../task/stored-error.js';
import type { TaskEvent, TaskEventType } from '../task/task-event.js';
import type { EventHub } from './event-hub.js';
import { eventText, messagesOf, readMessage, type EventMessage } from './event-text.js';

/** What happens within such a span travels together. */
const gatherMs = 100;
/** Most events of a span that are told: of each type that somebody may have to act on, and of all others together. */
const mostGathered = 500;
const grave: readonly TaskEventType[] = ['failed', 'dead', 'cancelled', 'parked', 'lost'];
/** How often a process that listens says so, and after which silence it is taken for gone. */
const sayAgainMs = 15_000;
const goneAfterMs = 50_000;
const listenAgainMs = 5_000;
const complainAgainMs = 60_000;

/**
 * Tells the other processes on the store what happens to tasks here, and tells the hub what happens there. Only what some
 * process has said it listens to is told; a flood is cut off and counted, and never waited for.
 */
export class EventRelay {
  private readonly wantedBy = new Map<string, { types: readonly TaskEventType[]; until: number }>();
  private wanted: ReadonlySet<TaskEventType> = new Set();
  private gathered: string[] = [];
  private readonly counts = new Map<TaskEventType | 'usual', number>();
  private dropped = 0;
  private complainedAt = -Infinity;
  private readonly timers = new Map<'say' | 'send' | 'listen', { timer: ClockTimer; at: number }>();
  private stopListening: () => void = () => undefined;
  private stopHearing: (() => void) | undefined;
  /** Whether the others believe that something is wanted here. */
  private hasWanted = false;
  private isOver = false;

  constructor(
    /** Not its wire, which is there when it is open. */
    private readonly backend: { readonly events: EventWire },
    private readonly here: TaskEvents,
    private readonly hub: EventHub,
    private readonly clock: Clock,
    private readonly log: JobsLog,
  ) {}

  start(): void {
    this.hub.wantsChanged = () => this.soon('say', gatherMs, () => this.say(false));
    void this.listen();
  }

  /** Tells what is still to be told. */
  stop(): void {
    if (this.isOver) return;
    this.send();
    if (this.hasWanted) this.post({ wants: [] });
    this.isOver = true;
    for (const { timer } of this.timers.values()) timer.cancel();
    this.stopHearing?.();
    this.stopListening();
  }

  private async listen(): Promise<void> {
    try {
      const stop = await this.backend.events.listen((text) => this.hear(text));
      if (this.isOver) return stop();
      this.stopListening = stop;
      this.say(true);
    } catch (error) {
      if (this.isOver) return;
      this.complain(`events of other processes cannot be heard yet, trying again: ${lineOf(error)}`);
      this.soon('listen', listenAgainMs, () => void this.listen());
    }
  }

  /** Says what is wanted here, again and again while it is something: others may have missed it. */
  private say(asks: boolean): void {
    const wants = [...this.hub.wanted()];
    if (asks || wants.length > 0 || this.hasWanted) this.post({ wants, asks });
    this.hasWanted = wants.length > 0;
    this.forget();
    this.soon('say', sayAgainMs, () => this.say(false));
  }

  private hear(text: string): void {
    const message = readMessage(text);
    if (!message || this.isOver || message.from === this.hub.origin) return;
    const { from, events, dropped, wants, asks } = message;
    if (wants) this.wantedBy.set(from, { types: wants, until: this.clock.elapsed() + goneAfterMs });
    if (wants) this.forget();
    if (asks) this.soon('say', gatherMs, () => this.say(false));
    this.hub.missed += dropped ?? 0;
    for (const event of events ?? []) this.hub.tell({ ...event, origin: from });
  }

  /** Whoever has not been heard of for long wants nothing any more. */
  private forget(): void {
    const now = this.clock.elapsed();
    for (const [from, { types, until }] of this.wantedBy)
      if (types.length === 0 || until <= now) this.wantedBy.delete(from);
    this.wanted = new Set([...this.wantedBy.values()].flatMap(({ types }) => types));
    if (this.wanted.size > 0) this.stopHearing ??= this.here.listen((event) => this.gather(event));
    else this.stopHearing?.();
    if (this.wanted.size === 0) this.stopHearing = undefined;
  }

  private gather(event: TaskEvent): void {
    if (!this.wanted.has(event.type)) return;
    // What happens all the time must not crowd out what hardly ever does.
    const kind = grave.includes(event.type) ? event.type : 'usual';
    const count = this.counts.get(kind) ?? 0;
    const text = count < mostGathered ? eventText(event) : undefined;
    if (text === undefined) this.dropped++;
    else {
      this.gathered.push(text);
      this.counts.set(kind, count + 1);
    }
    this.soon('send', gatherMs, () => this.send());
  }

  private send(): void {
    const { gathered, dropped } = this;
    this.gathered = [];
    this.counts.clear();
    this.dropped = 0;
    for (const message of messagesOf(this.hub.origin, gathered)) this.backend.events.send(message);
    if (dropped === 0) return;
    this.post({ dropped });
    if (this.clock.elapsed() < this.complainedAt + complainAgainMs) return;
    this.complainedAt = this.clock.elapsed();
    this.complain(`${dropped} events were not told to other processes: there were too many at once`);
  }

  private post(message: Omit<EventMessage, 'from'>): void {
    if (!this.isOver) this.backend.events.send(JSON.stringify({ from: this.hub.origin, ...message }));
  }

  /** Once, within so long: what is due earlier already stays as it is. */
  private soon(what: 'say' | 'send' | 'listen', delayMs: number, act: () => void): void {
    if (this.isOver) return;
    const at = this.clock.elapsed() + delayMs;
    const set = this.timers.get(what);
    if (set && set.at <= at) return;
    set?.timer.cancel();
    const timer = this.clock.after(delayMs, () => {
      this.timers.delete(what);
      act();
    });
    this.timers.set(what, { timer, at });
  }

  private complain(message: string): void {
    this.log.write('warn', 'JobEvents', message);
  }
}
