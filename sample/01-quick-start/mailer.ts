import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';

/** Stands for a mail server: takes a moment and sends nothing. */
@Injectable()
export class Mailer {
  async send(_to: string, _from?: string): Promise<void> {
    await pause(120);
  }
}
