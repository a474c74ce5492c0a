import {
  BadRequestException,
  Body,
  Controller,
  Get,
  HttpCode,
  NotFoundException,
  Param,
  Post,
} from '@nestjs/common';
import { InvalidParamsError, JobCatalog, JobQueue } from 'nestjs-jobs';
import { MakeReport, ReportParams, type Report } from './make-report.js';

@Controller('reports')
export class ReportsController {
  constructor(
    private readonly jobs: JobQueue,
    private readonly catalog: JobCatalog,
  ) {}

  /** Answers as soon as the task is stored. */
  @Post()
  @HttpCode(202)
  async order(@Body() params: ReportParams) {
    try {
      const { id } = await this.jobs.enqueue(MakeReport, params);
      return { id };
    } catch (error) {
      if (error instanceof InvalidParamsError) throw new BadRequestException(error.violations);
      throw error;
    }
  }

  @Get(':id')
  async look(@Param('id') id: string) {
    const task = await this.catalog.task({ queue: 'reports', id });
    if (!task) throw new NotFoundException(`no report ${id}`);
    return { state: task.state, report: task.result as Report | undefined };
  }
}
