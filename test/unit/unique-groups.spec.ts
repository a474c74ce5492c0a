import { describe, expect, it } from '@jest/globals';
import type { JobDefinition } from '../../lib/job/job-definition.js';
import { UniqueGroups } from '../../lib/job/unique-groups.js';

const job = (name: string, queue = 'default') => ({ name, where: name, queue }) as JobDefinition;

describe('The groups that calls name', () => {
  it('are remembered, the latest of them: names that calls make up do not fill the memory', () => {
    const groups = new UniqueGroups(2);
    for (const group of ['a', 'b', 'c']) groups.call(group, job('Pay'), 'shop');
    expect(() => groups.call('b', job('Send'), 'post')).toThrow(/^Send: unique\.group is "b"/);
    expect(() => groups.call('c', job('Send'), 'post')).toThrow(/^Send: unique\.group is "c"/);
    groups.call('a', job('Send'), 'post');
  });

  it('are compared with every other job of the group, whichever came last', () => {
    const groups = new UniqueGroups();
    groups.declare('money', job('Charge', 'bank'));
    groups.declare('money', job('Refund', 'bank'));
    expect(() => groups.call('money', job('Refund'), 'till')).toThrow(
      /Refund is in 'till' and Charge in 'bank'/,
    );
    groups.call('goods', job('Pay'), 'shop');
    groups.call('goods', job('Send'), 'shop');
    for (const name of ['Pay', 'Send'])
      expect(() => groups.call('goods', job(name), 'post')).toThrow(/in 'shop'/);
  });

  it('push out none that stands in code', () => {
    const groups = new UniqueGroups(1);
    groups.declare('money', job('Charge', 'bank'));
    for (const group of ['a', 'b', 'c']) groups.call(group, job('Pay'), 'shop');
    expect(() => groups.call('money', job('Pay'), 'shop')).toThrow(/Pay is in 'shop' and Charge in 'bank'/);
  });
});
