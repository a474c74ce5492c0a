import { IsString } from 'class-validator';
import { Job, type JobHandler, type Task } from 'nestjs-jobs';

class DigestParams {
  @IsString() user!: string;
}

/** Has no schedule of its own: each user puts one, over HTTP. */
@Job({ params: DigestParams, queue: 'digests' })
export class SendDigest implements JobHandler<DigestParams> {
  run({ user }: DigestParams, task: Task) {
    task.log(`digest for ${user}, slot ${task.slot?.toISOString() ?? 'none: run by hand'}`);
  }
}
