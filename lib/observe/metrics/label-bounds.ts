/** What stands for all names beyond the most that are told apart. */
export const otherName = 'other';

/** Keeps the names that come from outside, as of a queue for each customer, from making endlessly many series. */
export class LabelBounds {
  private readonly jobs = new Set<string>();
  private readonly queues = new Set<string>();

  constructor(
    private readonly mostJobs: number,
    private readonly mostQueues: number,
  ) {}

  job(name: string): string {
    return bounded(this.jobs, name, this.mostJobs);
  }

  queue(name: string): string {
    return bounded(this.queues, name, this.mostQueues);
  }
}

function bounded(names: Set<string>, name: string, most: number): string {
  if (names.has(name)) return name;
  if (names.size >= most) return otherName;
  names.add(name);
  return name;
}
