import 'reflect-metadata';
import type { INestApplicationContext, Type } from '@nestjs/common';
import { name, removeAll, type BullMQ } from '../../side-by-side/child/bullmq.js';
import { loadPeer } from '../../side-by-side/child/peers.js';
import { perQueue, type Payload, type System } from '../../side-by-side/system.js';

type Worker = InstanceType<BullMQ['Worker']>;

/** As much of @nestjs/bullmq's types as is used here. */
interface NestBullMQ {
  BullModule: { forRoot(options: object): object; registerQueue(...queues: object[]): object };
  Processor(name: string, options: object): ClassDecorator;
  WorkerHost: new () => { readonly worker: Worker };
  getQueueToken(name: string): string;
}

/** Nest as the peers have it: decorators and container of one copy belong together. */
interface NestOfPeers {
  Module(metadata: object): ClassDecorator;
  NestFactory: { createApplicationContext(module: Type, options: object): Promise<INestApplicationContext> };
}

/** As its chapter in Nest's manual shows it; connections and removal as with bare BullMQ. */
export const nestjsBullmq: System = {
  async produce(url, queueName) {
    const { getQueueToken } = loadPeer<NestBullMQ>('@nestjs/bullmq');
    const app = await startApp({ connection: { url }, defaultJobOptions: removeAll }, [queueName], []);
    const queue = app.get<InstanceType<BullMQ['Queue']>>(getQueueToken(queueName));
    await queue.waitUntilReady();
    return {
      add: (params) => queue.add(name, params),
      addBulk(all, dueAt) {
        const timestamp = Date.now();
        return queue.addBulk(
          all.map((data, index) =>
            dueAt ? { name, data, opts: { timestamp, delay: dueAt[index]! - timestamp } } : { name, data },
          ),
        );
      },
      close: () => app.close(),
    };
  },

  async consume(request, handle) {
    const { Processor, WorkerHost } = loadPeer<NestBullMQ>('@nestjs/bullmq');
    const concurrency = perQueue(request);
    const processors = request.queues.map((queue) => {
      @(Processor(queue, { concurrency }) as (target: Type) => void)
      class NoOp extends WorkerHost {
        async process({ data }: { data: Payload }) {
          handle(data);
        }
      }
      return NoOp;
    });
    const connection = { url: request.url, maxRetriesPerRequest: null };
    const app = await startApp({ connection, defaultJobOptions: removeAll }, request.queues, processors);
    for (const processor of processors) await app.get(processor).worker.waitUntilReady();
    return { close: () => app.close() };
  },
};

async function startApp(options: object, queues: readonly string[], providers: readonly Type[]) {
  const { BullModule } = loadPeer<NestBullMQ>('@nestjs/bullmq');
  const { Module } = loadPeer<Pick<NestOfPeers, 'Module'>>('@nestjs/common');
  const { NestFactory } = loadPeer<Pick<NestOfPeers, 'NestFactory'>>('@nestjs/core');
  class BenchModule {}
  Module({
    imports: [BullModule.forRoot(options), BullModule.registerQueue(...queues.map((name) => ({ name })))],
    providers,
  })(BenchModule);
  const app = await NestFactory.createApplicationContext(BenchModule, { logger: false, abortOnError: false });
  return app;
}
