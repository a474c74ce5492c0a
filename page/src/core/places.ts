/** Where a reader was in a list, and what he saw of it. */
export interface Place<T> {
  readonly view: string;
  readonly held: T;
  readonly scrolled: number;
}

/** A page that is left keeps its place for whoever comes back to it; of so many no more. */
const mostPlaces = 20;

/** What the Back button leads back to: the steps of the browser's history know their places by number. */
export class Places {
  private readonly known = new Map<number, Place<unknown>>();
  private latest = 0;
  /** The list of tasks that was last on view, filters and all. */
  tasksHref: string | undefined;

  /** That of the step that is on view. */
  get<T>(view: string): Place<T> | undefined {
    const place = this.known.get(numberOf(history.state));
    return place?.view === view ? (place as Place<T>) : undefined;
  }

  /** How far the step that is on view was scrolled when it was left. */
  get scrolled(): number {
    return this.known.get(numberOf(history.state))?.scrolled ?? 0;
  }

  /** A number for the step that is on view, under which its place can be put when it is left. */
  here(): number {
    const known = numberOf(history.state);
    if (known > 0 && known <= this.latest) return known;
    history.replaceState({ place: ++this.latest }, '');
    return this.latest;
  }

  put(number: number, place: Place<unknown>): void {
    this.known.delete(number);
    this.known.set(number, place);
    for (const oldest of this.known.keys()) {
      if (this.known.size <= mostPlaces) return;
      this.known.delete(oldest);
    }
  }
}

function numberOf(state: unknown): number {
  const { place } = Object(state) as { place?: unknown };
  return typeof place === 'number' ? place : 0;
}
