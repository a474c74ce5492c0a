import { setTimeout as pause } from 'node:timers/promises';
import { IsInt, IsUrl, Max, Min } from 'class-validator';
import { Job, type JobHandler, type Task } from 'nestjs-jobs';

class ImportParams {
  @IsUrl() from!: string;
  @IsInt() @Min(1) @Max(10_000) products: number = 400;
}

/** A long job that says how far it is, and stops when it is cancelled. */
@Job({ params: ImportParams, queue: 'imports' })
export class ImportProducts implements JobHandler<ImportParams> {
  async run({ from, products }: ImportParams, task: Task) {
    task.log(`reading ${from}`);
    for (let done = 0; done < products; done += 20) {
      await pause(500, undefined, { signal: task.signal });
      task.progress((done / products) * 100, `${done} of ${products} products`);
    }
    task.log(`imported ${products} products`);
    return { products, warnings: [] };
  }
}
