import { setTimeout as pause } from 'node:timers/promises';
import { ArrayNotEmpty, IsNumber, IsString } from 'class-validator';
import { Job, type JobHandler, type Task } from 'nestjs-jobs';

export class ReportParams {
  @IsString() title!: string;
  @ArrayNotEmpty() @IsNumber({}, { each: true }) amounts!: number[];
}

export interface Report {
  readonly title: string;
  readonly total: number;
  readonly average: number;
  /** Which process made it. */
  readonly madeBy: number;
}

/** What both processes share: the web enqueues it by its class, the worker runs it. Its result is kept for an hour. */
@Job({ params: ReportParams, queue: 'reports', keep: '1h' })
export class MakeReport implements JobHandler<ReportParams, Report> {
  async run({ title, amounts }: ReportParams, task: Task): Promise<Report> {
    await pause(500); // Stands for the work that a request should not wait for.
    const total = amounts.reduce((sum, amount) => sum + amount, 0);
    task.log(`made "${title}" of ${amounts.length} amounts`);
    return { title, total, average: total / amounts.length, madeBy: process.pid };
  }
}
