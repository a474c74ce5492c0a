/** What a line about a task says of it, for whoever reads lines by machine. */
export interface TaskFields {
  readonly taskId: string;
  readonly job: string;
  readonly queue: string;
  readonly attempt?: number;
}

export function taskFields({
  id,
  job,
  queue,
  attempt,
}: {
  readonly id: string;
  readonly job: string;
  readonly queue: string;
  readonly attempt?: number;
}): TaskFields {
  return { taskId: id, job, queue, attempt };
}
