import type { TaskDetails } from '../../../lib/dashboard/api.js';
import { Moment } from '../parts/moment.js';

export function TaskLog({ lines }: { lines: TaskDetails['lines'] }) {
  return (
    <section class="card" aria-labelledby="log">
      <header class="card-head">
        <h2 id="log">Log</h2>
        {lines.length >= 100 && <span class="faint">the latest 100 lines</span>}
      </header>
      <div class="card-body">
        {lines.length === 0 ? (
          <p class="faint">
            Nothing was logged. A handler writes here by <code>task.log()</code>.
          </p>
        ) : (
          <ol class="log">
            {lines.map(({ at, message }, index) => (
              <li key={index}>
                <span class="faint num">
                  <Moment at={at} as="clock" />
                </span>
                <span class="mono">{message}</span>
              </li>
            ))}
          </ol>
        )}
      </div>
    </section>
  );
}
