import { IsEmail, IsOptional, IsString } from 'class-validator';
import { Job, type JobHandler, type Task } from 'nestjs-jobs';
import { Mailer } from '../mailer.js';

class WelcomeParams {
  @IsEmail() to!: string;
  @IsOptional() @IsString() from?: string = 'no-reply@example.com';
}

/** A queued job: it runs as soon as a slot is free. */
@Job({ params: WelcomeParams })
export class SendWelcome implements JobHandler<WelcomeParams> {
  constructor(private readonly mailer: Mailer) {}

  async run({ to, from }: WelcomeParams, task: Task) {
    await this.mailer.send(to, from);
    task.log(`welcomed ${to}`);
  }
}
