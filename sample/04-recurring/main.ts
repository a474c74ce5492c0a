import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { Settings } from './settings.js';

const port = Number(process.env.PORT ?? 3000);
const url = `http://localhost:${port}`;
const app = await NestFactory.create(AppModule);
app.enableShutdownHooks();
await app.listen(port);
const isInRedis = app.get(Settings).backend.startsWith('redis');
console.log(`
The sample listens on ${url}. Two jobs recur by themselves; users put their own:

  a digest every three seconds   curl -X PUT ${url}/users/ada/digest -H 'content-type: application/json' -d '{"every":"3s"}'
  the same, changed to a cron    curl -X PUT ${url}/users/ada/digest -H 'content-type: application/json' -d '{"cron":"0 7 * * 1-5","timeZone":"Asia/Tokyo"}'
  no such rhythm, refused        curl -X PUT ${url}/users/ada/digest -H 'content-type: application/json' -d '{"cron":"0 0 30 2 *"}'
  all schedules                  curl ${url}/schedules
  what comes next                curl ${url}/schedules/digest%20of%20ada/next
  run it now                     curl -X POST ${url}/schedules/digest%20of%20ada/run
  pause, and resume              curl -X POST ${url}/schedules/PruneSessions/pause
                                 curl -X POST ${url}/schedules/PruneSessions/resume
  no more digests                curl -X DELETE ${url}/schedules/digest%20of%20ada

${
  isInRedis
    ? 'Start it again with another PORT: each slot still runs once, in one of the processes.'
    : 'Schedules live in the memory of this process. With REDIS_URL they outlive it, and any number of processes share them.'
}
`);
