import { Module } from '@nestjs/common';
import { JobsModule } from 'nestjs-jobs';
import { Accounts } from './accounts.js';
import { CountTrials } from './jobs/count-trials.js';
import { EndTrial } from './jobs/end-trial.js';
import { SendMail } from './jobs/send-mail.js';
import { Mailer } from './mailer.js';
import { Trials } from './trials.js';

@Module({
  imports: [JobsModule.forRoot({ backend: process.env.JOBS_URL ?? 'redis://localhost:6379' })],
  providers: [Accounts, Mailer, Trials, SendMail, EndTrial, CountTrials],
})
export class AppModule {}
