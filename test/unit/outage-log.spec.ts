import { describe, expect, it } from '@jest/globals';
import { ApiFailure, noAnswer } from '../../lib/dashboard/http/api-failure.js';
import { OutageLog } from '../../lib/dashboard/outage-log.js';

function logged() {
  const lines: string[] = [];
  let now = 0;
  const log = new OutageLog(
    (message) => lines.push(message),
    () => now,
  );
  return { log, lines, pass: (ms: number) => (now += ms) };
}

describe('The log of an outage', () => {
  it('says the same once a minute, with how often it was', () => {
    const { log, lines, pass } = logged();
    for (let n = 0; n < 5; n++) log.failed(noAnswer(`no answer within ${n} ms`));
    pass(60_000);
    log.failed(noAnswer('no answer within 9 ms'));
    expect(lines).toEqual([
      'the store of the jobs gives no answer: no answer within 0 ms',
      'the store of the jobs gives no answer: no answer within 9 ms (and 4 times more since this was last written)',
    ]);
  });

  it('takes whatever is surely the fault of the store for the same', () => {
    const { log, lines } = logged();
    for (const id of ['a', 'b']) {
      const away = Object.assign(new Error('not connected'), { code: 'STORE_UNAVAILABLE' });
      log.failed(noAnswer(`task ${id} was not enqueued: not connected`, away));
    }
    expect(lines).toHaveLength(1);
  });

  it('says everything else at once, too', () => {
    const { log, lines } = logged();
    log.failed(noAnswer('connection refused'));
    log.failed(noAnswer('wrong password'));
    for (let n = 0; n < 2; n++) log.failed(new ApiFailure(500, 'INTERNAL', 'a mistake'));
    expect(lines).toEqual([
      'the store of the jobs gives no answer: connection refused',
      'the store of the jobs gives no answer: wrong password',
      'a mistake',
      'a mistake',
    ]);
  });
});
