import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';

const port = Number(process.env.PORT ?? 3000);
const url = `http://localhost:${port}`;
const app = await NestFactory.create(AppModule);
// Ctrl-C: running tasks end, then the database is closed.
app.enableShutdownHooks();
await app.listen(port);
console.log(`
The shop listens on ${url}.

  an order, its mail and its charge in one commit   curl -X POST ${url}/orders -H 'content-type: application/json' -d '{"item":"teapot","email":"ada@example.com"}'
  sold out: no order, and no mail about it          curl -X POST ${url}/orders -H 'content-type: application/json' -d '{"item":"unicorn","email":"ada@example.com"}'
  the orders, and which attempt has paid each       curl ${url}/orders

${
  process.env.JOBS_URL
    ? 'Orders and tasks are on the server. Start it again with another PORT: the processes share them.'
    : 'Orders and tasks are in a folder, by PostgreSQL in this process. JOBS_URL=postgres://… puts them on a server.'
}
`);
