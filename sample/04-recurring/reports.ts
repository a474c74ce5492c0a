import { Injectable } from '@nestjs/common';
import { Cron, type Task } from 'nestjs-jobs';
import { Settings } from './settings.js';

/** Any provider may have methods that recur. */
@Injectable()
export class Reports {
  constructor(private readonly settings: Settings) {}

  /** The job `Reports.send`. Its cron comes from the settings, and so does its zone: that of the module. */
  @Cron({ inject: [Settings], useFactory: ({ reportCron }) => reportCron })
  send(_params: void, task: Task) {
    const { timeZone } = this.settings;
    const wallClock = new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'medium' }).format(task.slot);
    task.log(`report of ${wallClock} in ${timeZone}`);
  }
}
