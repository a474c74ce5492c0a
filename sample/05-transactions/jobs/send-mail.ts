import { IsEmail, IsString } from 'class-validator';
import { Job, type JobHandler, type Task } from 'nestjs-jobs';

class MailParams {
  @IsEmail() to!: string;
  @IsString() text!: string;
}

/** Enqueued in a transaction: no mail is sent about what was rolled back. */
@Job({ params: MailParams })
export class SendMail implements JobHandler<MailParams> {
  run({ to, text }: MailParams, task: Task) {
    task.log(`mail to ${to}: ${text}`);
  }
}
