import { IsEmail, IsOptional, IsString } from 'class-validator';
import { Job, type JobHandler, type Task } from 'nestjs-jobs';
import { Mailer } from '../mailer.js';

export class Mail {
  @IsEmail() to!: string;
  @IsString() subject!: string;
  @IsOptional() @IsEmail() from?: string = 'hello@example.com';
}

@Job({
  params: Mail,
  queue: 'mail',
  retries: ['1m', '10m'],
  timeout: '30s',
  unique: { lock: 'until_executed' },
})
export class SendMail implements JobHandler<Mail> {
  constructor(private readonly mailer: Mailer) {}

  async run({ to, subject }: Mail, task: Task<Mail>): Promise<void> {
    await this.mailer.send(to, subject);
    task.log(`sent ${subject} to ${to}`);
  }
}
