import { Body, Controller, Param, Put } from '@nestjs/common';
import { JobQueue } from 'nestjs-jobs';
import { SendDigest } from './jobs/send-digest.js';

class Rhythm {
  every?: string;
  cron?: string;
  timeZone?: string;
}

@Controller('users')
export class UsersController {
  constructor(private readonly jobs: JobQueue) {}

  /** One schedule per user, however often it is put; daily, unless the user says otherwise. */
  @Put(':user/digest')
  putDigest(@Param('user') user: string, @Body() { every, cron, timeZone }: Rhythm = {}) {
    const rhythm = (every ?? cron) ? { every, cron, timeZone } : { every: '1d' };
    return this.jobs.enqueue(SendDigest, { user }, { id: `digest of ${user}`, replace: true, ...rhythm });
  }
}
