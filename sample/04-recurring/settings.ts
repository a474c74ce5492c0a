import { Injectable, Module } from '@nestjs/common';

/** What a deployment may say; in a real application, `ConfigService`. */
@Injectable()
export class Settings {
  readonly backend = process.env.REDIS_URL ?? 'memory:';
  readonly timeZone = process.env.TIME_ZONE ?? 'Europe/Berlin';
  readonly reportCron = process.env.REPORT_CRON ?? '*/5 * * * * *';
}

@Module({ providers: [Settings], exports: [Settings] })
export class SettingsModule {}
