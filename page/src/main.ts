import type { ApiError, Overview } from '../../lib/dashboard/api.js';

const queues = document.querySelector('#queues')!;
const trouble = document.querySelector('#trouble')!;

/** Relative: only the browser knows below which path it has found the page. */
async function look(): Promise<void> {
  const answer = await fetch('./api/v1/overview');
  if (!answer.ok) {
    trouble.textContent = ((await answer.json()) as ApiError).error.message;
    return;
  }
  const overview = (await answer.json()) as Overview;
  trouble.textContent = overview.troubles.map(({ message }) => message).join(' ');
  queues.replaceChildren(
    ...overview.queues.map(({ name, counts }) => {
      const row = document.createElement('tr');
      for (const text of [name, counts.waiting, counts.pending, counts.dead]) {
        const cell = document.createElement('td');
        cell.textContent = String(text);
        row.append(cell);
      }
      return row;
    }),
  );
}

void look();
new EventSource('./api/v1/stream').addEventListener('changed', () => void look());
