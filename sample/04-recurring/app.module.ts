import { Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { JobsModule } from 'nestjs-jobs';
import { InvalidRhythmFilter } from './invalid-rhythm.filter.js';
import { PruneSessions } from './jobs/prune-sessions.js';
import { SendDigest } from './jobs/send-digest.js';
import { Reports } from './reports.js';
import { SchedulesController } from './schedules.controller.js';
import { Settings, SettingsModule } from './settings.js';
import { UsersController } from './users.controller.js';

@Module({
  imports: [
    SettingsModule,
    JobsModule.forRootAsync({
      imports: [SettingsModule],
      inject: [Settings],
      useFactory: ({ backend, timeZone }: Settings) => ({ backend, timeZone, prefix: 'sample-04' }),
    }),
  ],
  controllers: [UsersController, SchedulesController],
  providers: [PruneSessions, Reports, SendDigest, { provide: APP_FILTER, useClass: InvalidRhythmFilter }],
})
export class AppModule {}
