import { Controller, Get } from '@nestjs/common';
import { JobCatalog } from 'nestjs-jobs';

@Controller('tasks')
export class TasksController {
  constructor(private readonly catalog: JobCatalog) {}

  /** How many tasks are in which state. Those that succeeded are gone after the hour that `retention` gives them. */
  @Get()
  counts() {
    return this.catalog.counts('default');
  }
}
