import { expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../test/support/app.js';
import { ChainModule } from './chain.module.js';
import { ReserveStock } from './order-workflow.js';
import { Outbox } from './outbox.js';
import { SendAllEmails } from './send-all-emails.js';

const users = ['ada@example.com', 'grace@example.com', 'mary@example.com'];

/** The sample with an outbox that fails `times` times at `what`. */
async function startSample(what?: string, times = 0) {
  const outbox = new Outbox();
  const run: TestApp = await startApp({
    imports: [ChainModule],
    override: (builder) => builder.overrideProvider(Outbox).useValue(outbox),
  });
  const succeed = outbox.do.bind(outbox);
  outbox.do = async (asked) => {
    if (asked === what && times-- > 0) throw new Error(`no ${what} today`);
    await succeed(asked);
  };
  const said = () => run.lines.map(({ context, message }) => `${context}: ${message}`);
  return { ...run, outbox, said };
}

test('the mails go out one after the other, and the last one says so', async () => {
  const { app, outbox, said, advance } = await startSample();
  await app.get(SendAllEmails).start('news', users);
  await advance(0);
  expect(outbox.done).toEqual(users.map((user) => `news to ${user}`));
  expect(said()).toContain('SendAllEmails: news is sent to all');
});

test('the next mail is not enqueued before the one in front of it is sent', async () => {
  const { app, outbox, catalog, advance } = await startSample();
  let release = () => {};
  const { do: send } = outbox;
  outbox.do = async (what) => {
    await new Promise<void>((resolve) => (release = resolve));
    await send(what);
  };
  await app.get(SendAllEmails).start('news', users);
  await advance(0);
  expect(await catalog.counts('default')).toMatchObject({ pending: 1, waiting: 0, scheduled: 0 });
  for (let sent = 1; sent <= users.length; sent++) {
    release();
    await advance(0);
    expect(outbox.done).toHaveLength(sent);
  }
});

test('the steps of an order follow each other to the end', async () => {
  const { jobs, outbox, said, advance } = await startSample();
  await jobs.enqueue(ReserveStock, { order: 'order 7' });
  await advance(0);
  expect(outbox.done).toEqual(['stock for order 7', 'charge for order 7', 'receipt for order 7']);
  expect(said()).toContain('SendReceipt: order 7 is complete');
});

test('a link that fails is retried, and then the chain goes on', async () => {
  const { app, outbox, said, advance } = await startSample('news to grace@example.com', 2);
  await app.get(SendAllEmails).start('news', users);
  await advance(0);
  expect(outbox.done).toEqual(['news to ada@example.com']);
  // The default pauses: 2 s after the first failure, 8 s after the second.
  await advance(9_999);
  expect(outbox.done).toEqual(['news to ada@example.com']);
  await advance(1);
  expect(outbox.done).toEqual(users.map((user) => `news to ${user}`));
  expect(said()).not.toContainEqual(expect.stringContaining('stopped'));
});

test('a link that dies stops the chain, and says so', async () => {
  const { app, outbox, catalog, said, advance } = await startSample('news to grace@example.com', 5);
  await app.get(SendAllEmails).start('news', users);
  await advance(60_000);
  expect(outbox.done).toEqual(['news to ada@example.com']);
  expect(said()).toContain('SendAllEmails: news stopped at grace@example.com, 1 to go');
  expect(await catalog.counts('default')).toMatchObject({ dead: 1, waiting: 0, scheduled: 0, pending: 0 });

  // The dead link holds the rest of the chain: retried, it takes it to its end.
  expect(await catalog.retry('news: grace@example.com')).toBe('done');
  await advance(0);
  expect(outbox.done).toEqual(users.map((user) => `news to ${user}`));
});

test('a step that dies stops the order, and says so', async () => {
  const { jobs, outbox, said, advance } = await startSample('charge for order 7', 5);
  await jobs.enqueue(ReserveStock, { order: 'order 7' });
  await advance(60_000);
  expect(outbox.done).toEqual(['stock for order 7']);
  expect(said()).toContain('ChargeCard: order 7 stopped at ChargeCard');
});

test('a link that is run twice has one successor, also if that has finished', async () => {
  const { app, jobs, outbox, advance } = await startSample();
  await app.get(SendAllEmails).start('news', users);
  await advance(0);
  // As after a crash between `afterRun` and the settling: the first link again, under any id.
  await jobs.enqueue(SendAllEmails, { name: 'news', users });
  await advance(0);
  expect(outbox.done.filter((what) => what === 'news to ada@example.com')).toHaveLength(2);
  expect(outbox.done.filter((what) => what === 'news to grace@example.com')).toHaveLength(1);
});
