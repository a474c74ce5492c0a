import type { JobQueue } from 'nestjs-jobs';
import { AskForFeedback } from './jobs/ask-for-feedback.js';
import { ChargeCard } from './jobs/charge-card.js';
import { ImportProducts } from './jobs/import-products.js';
import { SendWelcome } from './jobs/send-welcome.js';

const names = ['ada', 'alan', 'barbara', 'donald', 'edsger', 'frances', 'grace', 'katherine', 'margaret'];
const cards = ['visa', 'visa', 'mastercard', 'amex'];

/** Stands for people who use the application: a few tasks every few seconds, so that there is something to see. */
export function receiveVisitors(jobs: JobQueue, everyMs = 3_000): void {
  let count = 0;
  const visit = async () => {
    const visitor = ++count;
    const to = `${names[visitor % names.length]}@example.com`;
    await jobs.enqueue(SendWelcome, { to });
    await jobs.enqueue(ChargeCard, {
      order: `A-${1_000 + visitor}`,
      cents: 1_900,
      card: cards[visitor % cards.length]!,
    });
    if (visitor % 3 === 1) await jobs.enqueue(AskForFeedback, { to }, { in: '10m' });
    if (visitor % 5 === 1)
      await jobs.enqueue(ImportProducts, { from: 'https://supplier.example/feed.csv', products: 400 });
  };
  // The application has closed: nobody comes any more.
  const timer = setInterval(() => void visit().catch(() => clearInterval(timer)), everyMs);
  void visit().catch(() => clearInterval(timer));
}
