import { describe, expect, it } from '@jest/globals';
import { run, told, type Told } from '../history/told.js';
import { campaign, type CampaignSettings, type Row } from './campaign.js';
import { emptyOf } from './empty-rounds.js';
import { allFaults } from './faults/all-faults.js';
import type { Fault } from './faults/fault.js';
import { injected, lostItsLease } from './faults/happened.js';

const said: string[] = [];
const settings = (faults: readonly Fault[], more: Partial<CampaignSettings> = {}): CampaignSettings => ({
  faults,
  form: 'middle',
  seed: 1,
  atOnce: 1,
  build: '',
  signal: new AbortController().signal,
  tell: (line) => said.push(line),
  ...more,
});
const unopened = (name: string): Fault => ({
  name,
  backends: ['redis'],
  happened: () => undefined,
  openStage: async () => {
    throw new Error(`no room for ${name}`);
  },
  inject: async () => undefined,
});

describe('A campaign', () => {
  it('fails where it has nothing to try', async () => {
    await expect(campaign(settings([]))).rejects.toThrow('nothing to try');
    await expect(campaign(settings(allFaults, { only: ['kil -9'] }))).rejects.toThrow('nothing to try');
  });

  it('counts servers that do not start as a failure, and goes on', async () => {
    const seen: number[] = [];
    const played = (rows: readonly Row[]) => seen.push(rows.flatMap(({ results }) => results).length);
    const rows = await campaign(settings([unopened('one'), unopened('two')], { played }));
    expect(rows.map(({ results }) => results.map(({ broken }) => broken[0]?.what))).toEqual([
      ['Error: no room for one'],
      ['Error: no room for two'],
    ]);
    expect(seen).toEqual([1, 2]);
  });

  it('says what it leaves out, and why', async () => {
    const impossible = { ...unopened('three'), impossible: 'nobody may' };
    await campaign(settings([unopened('one'), impossible]));
    expect(said).toContain('left out: three: nobody may');
  });
});

describe('A round in which nothing happened', () => {
  const least = { runs: 1, tasks: 1 };
  const work: Told[] = [
    { type: 'steady' },
    run('ended', 1, 1),
    { type: 'fault', name: 'any' },
    { type: 'listed', queue: 'q', id: 't', state: 'succeeded' },
  ];
  const whyNot = (history: Told[], happened: Fault['happened'] = () => undefined) =>
    emptyOf(told(...history), { happened }, { least }).map(({ what }) => what);

  it.each(allFaults.map((fault) => [fault.name, fault] as const))('is a failure: %s', (_, fault) => {
    expect(fault.happened([])).toEqual(expect.any(String));
  });

  it('is one with too little work as well', () => {
    expect(whyNot(work)).toEqual([]);
    expect(whyNot(work.slice(0, 3))).toEqual(['there were 0 tasks, not 1']);
    expect(whyNot(work.filter(({ type }) => type !== 'ended'))).toEqual([
      '0 runs were done before the fault, not 1',
    ]);
  });

  it('is told from one in which something did', () => {
    const reset: Told = { type: 'injected', what: 'resets', count: 2 };
    expect(whyNot([...work, reset], injected('resets', 3))).toEqual(['resets: 2, not 3']);
    expect(whyNot([...work, reset, reset], injected('resets', 3))).toEqual([]);
    const taken: Told = { ...run('started', 2, 2), type: 'claimed', process: 'o', priority: 0 } as Told;
    expect(whyNot([...work, run('started', 1, 1)], lostItsLease)).toEqual(['no run lost its lease']);
    expect(whyNot([...work, run('started', 1, 1), taken], lostItsLease)).toEqual([]);
  });
});
