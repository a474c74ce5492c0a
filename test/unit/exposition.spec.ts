import { describe, expect, it } from '@jest/globals';
import { exposition } from '../../lib/observe/metrics/exposition.js';
import { Counter, Histogram } from '../../lib/observe/metrics/series.js';

describe('The text for Prometheus', () => {
  it('has a head for each metric, then its series, and ends with a line break', () => {
    const counter = new Counter();
    counter.add({ job: 'Send', queue: 'mail' });
    counter.add({ job: 'Send', queue: 'mail' });
    counter.add({ job: 'Send', queue: 'other' });
    const families = [
      { name: 'a_total', help: 'How often.', type: 'counter' as const, samples: counter.samples() },
      { name: 'up', help: 'Whether.', type: 'gauge' as const, samples: [{ labels: {}, value: 1 }] },
    ];
    expect(exposition(families)).toBe(
      [
        '# HELP a_total How often.',
        '# TYPE a_total counter',
        'a_total{job="Send",queue="mail"} 2',
        'a_total{job="Send",queue="other"} 1',
        '# HELP up Whether.',
        '# TYPE up gauge',
        'up 1',
        '',
      ].join('\n'),
    );
  });

  it('escapes what would break a line', () => {
    const samples = [{ labels: { job: 'a"b\\c\nd' }, value: Infinity }];
    const text = exposition([{ name: 'x', help: 'a\\b\nc', type: 'gauge', samples }]);
    expect(text.split('\n').slice(0, 3)).toEqual([
      '# HELP x a\\\\b\\nc',
      '# TYPE x gauge',
      'x{job="a\\"b\\\\c\\nd"} +Inf',
    ]);
  });

  it('counts a value in every bucket that it does not exceed', () => {
    const histogram = new Histogram('took_seconds', [0.1, 1, 10]);
    for (const value of [0.1, 0.5, 1, 3, 30]) histogram.record(value, { job: 'Send' });
    const lines = histogram.samples().map(({ name, labels, value }) => [name, labels.le, value]);
    expect(lines).toEqual([
      ['took_seconds_bucket', '0.1', 1],
      ['took_seconds_bucket', '1', 3],
      ['took_seconds_bucket', '10', 4],
      ['took_seconds_bucket', '+Inf', 5],
      ['took_seconds_sum', undefined, 34.6],
      ['took_seconds_count', undefined, 5],
    ]);
  });
});
