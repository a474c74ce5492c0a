import { Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { JobCatalog } from 'nestjs-jobs';

/** All schedules, those from code and those that users have put. */
@Controller('schedules')
export class SchedulesController {
  constructor(private readonly catalog: JobCatalog) {}

  @Get()
  async list() {
    const { schedules } = await this.catalog.schedules();
    return schedules.map(({ id, job, rule, words, lastSlot, nextSlot, fired, skipped, isPaused }) => {
      return { id, job, rule, words, lastSlot, nextSlot, fired, skipped, isPaused };
    });
  }

  @Get(':id/next')
  next(@Param('id') id: string) {
    return this.catalog.nextSlots(id, 5);
  }

  @Post(':id/pause')
  @HttpCode(200)
  async pause(@Param('id') id: string) {
    return { pause: await this.catalog.pauseSchedule(id) };
  }

  @Post(':id/resume')
  @HttpCode(200)
  async resume(@Param('id') id: string) {
    return { resume: await this.catalog.resumeSchedule(id) };
  }

  @Post(':id/run')
  async run(@Param('id') id: string) {
    return { task: await this.catalog.runSchedule(id) };
  }

  @Delete(':id')
  async remove(@Param('id') id: string) {
    return { remove: await this.catalog.removeSchedule(id) };
  }
}
