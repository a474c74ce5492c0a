import type { TaskEvents } from '../job/task-events.js';
import type { TaskEventType } from '../task/task-event.js';
import { eventTypes, type JobEvent } from './job-event.js';

type Hear = (event: JobEvent) => void;

interface Hearing {
  readonly types: ReadonlySet<TaskEventType> | undefined;
  readonly hear: Hear;
  readonly over: () => void;
}

/**
 * Where the events of this process, and those that others tell of, come together. It listens in this process only while
 * somebody listens to it.
 */
export class EventHub {
  /** Events of other processes that those could not tell. */
  missed = 0;
  /** Called when it may want other types than before. */
  wantsChanged: () => void = () => undefined;
  private hearings: readonly Hearing[] = [];
  private stopHearing: (() => void) | undefined;
  private isClosed = false;

  constructor(
    private readonly here: TaskEvents,
    /** The name of this process. */
    readonly origin: string,
    private readonly report: (error: unknown) => void,
  ) {}

  /** Calls `hear` with each event of these types, or of any, until the returned function is called; `over` when there will be no more. */
  listen(types: readonly TaskEventType[] | undefined, hear: Hear, over: () => void = ignored): () => void {
    if (this.isClosed) {
      over();
      return ignored;
    }
    const hearing = { types: types && new Set(types), hear, over };
    this.hearings = [...this.hearings, hearing];
    this.changed();
    return () => {
      this.hearings = this.hearings.filter((other) => other !== hearing);
      this.changed();
    };
  }

  /** What somebody here listens to. */
  wanted(): ReadonlySet<TaskEventType> {
    if (this.hearings.some(({ types }) => types === undefined)) return new Set(eventTypes);
    return new Set(this.hearings.flatMap(({ types }) => [...types!]));
  }

  tell(event: JobEvent): void {
    for (const { types, hear } of this.hearings)
      if (!types || types.has(event.type))
        try {
          hear(event);
        } catch (error) {
          this.report(error);
        }
  }

  close(): void {
    const { hearings } = this;
    this.isClosed = true;
    this.hearings = [];
    this.changed();
    for (const { over } of hearings) over();
  }

  private changed(): void {
    const isHeard = this.hearings.length > 0;
    if (isHeard)
      this.stopHearing ??= this.here.listen((event) => this.tell({ ...event, origin: this.origin }));
    else this.stopHearing?.();
    if (!isHeard) this.stopHearing = undefined;
    this.wantsChanged();
  }
}

function ignored(): void {
  // There is nothing to do.
}
