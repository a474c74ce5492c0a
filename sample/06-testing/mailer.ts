import { Injectable } from '@nestjs/common';

@Injectable()
export class Mailer {
  async send(to: string, subject: string): Promise<void> {
    console.log(`to ${to}: ${subject}`);
  }
}
