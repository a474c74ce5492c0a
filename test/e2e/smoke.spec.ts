import { describe, expect, it } from '@jest/globals';
import { Injectable, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { IsEmail, IsOptional, IsString } from 'class-validator';
import { Job, JobQueue, JobsModule, type JobHandler, type Task } from 'nestjs-jobs';

class WelcomeParams {
  @IsEmail() to!: string;
  @IsOptional() @IsString() from?: string = 'no-reply@example.com';
}

const sent: string[] = [];
@Injectable()
class Mailer {
  send(to: string, from?: string) {
    sent.push(`${to} ${from}`);
  }
}

@Job({ params: WelcomeParams, queue: 'mail', retries: 4 })
class SendWelcome implements JobHandler<WelcomeParams> {
  constructor(private readonly mailer: Mailer) {}
  async run(params: WelcomeParams, task: Task) {
    task.log(`welcoming ${params.to}`);
    this.mailer.send(params.to, params.from);
  }
}

@Module({ imports: [JobsModule.forRoot()], providers: [Mailer, SendWelcome] })
class AppModule {}

describe('smoke', () => {
  it('runs a job', async () => {
    const module = await Test.createTestingModule({ imports: [AppModule] }).compile();
    const app = module.createNestApplication();
    await app.init();
    const jobs = app.get(JobQueue);
    console.log(await jobs.enqueue(SendWelcome, { to: 'a@b.cd' }));
    await new Promise((r) => setTimeout(r, 50));
    expect(sent).toEqual(['a@b.cd no-reply@example.com']);
    await app.close();
  });
});
