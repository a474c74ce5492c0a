import { Body, Controller, Param, Post } from '@nestjs/common';
import { JobQueue } from 'nestjs-jobs';
import { AskForFeedback } from './jobs/ask-for-feedback.js';
import { SendWelcome } from './jobs/send-welcome.js';
import { SyncContact } from './jobs/sync-contact.js';

class CreateUser {
  email!: string;
}

@Controller('users')
export class UsersController {
  constructor(private readonly jobs: JobQueue) {}

  /** Both tasks or, where the address is none, neither. */
  @Post()
  create(@Body() { email }: CreateUser) {
    return this.jobs.bulk((bulk) => {
      bulk.enqueue(SendWelcome, { to: email });
      bulk.enqueue(AskForFeedback, { to: email });
    });
  }

  @Post(':email/sync')
  sync(@Param('email') email: string) {
    return this.jobs.enqueue(SyncContact, { email });
  }
}
