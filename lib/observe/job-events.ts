import { Injectable } from '@nestjs/common';
import { Observable } from 'rxjs';
import type { TaskEventType } from '../task/task-event.js';
import type { EventHub } from './event-hub.js';
import { checkEventTypes, type JobEvent, type JobEventOf } from './job-event.js';

/**
 * What happens to tasks, as streams: of this process or, with the module's option `events: { scope: 'cluster' }`, of all that
 * share the store. Nothing is kept: a subscriber gets what happens from then on, until the application has closed.
 */
@Injectable()
export class JobEvents {
  /** Events of every type. */
  readonly all: Observable<JobEvent>;

  /** @internal */
  constructor(private readonly hub: EventHub) {
    this.all = streamOf(hub);
  }

  /** The name of this process, as its events have it in `origin`. */
  get origin(): string {
    return this.hub.origin;
  }

  /** How many events of other processes were not told, because there were too many. */
  get missed(): number {
    return this.hub.missed;
  }

  /** Events of these types alone. */
  stream<T extends TaskEventType>(...types: [T, ...T[]]): Observable<JobEventOf<T>> {
    checkEventTypes(types, 'JobEvents.stream');
    return streamOf(this.hub, types) as Observable<JobEventOf<T>>;
  }
}

function streamOf(hub: EventHub, types?: readonly TaskEventType[]): Observable<JobEvent> {
  return new Observable((subscriber) =>
    hub.listen(
      types,
      (event) => subscriber.next(event),
      () => subscriber.complete(),
    ),
  );
}
