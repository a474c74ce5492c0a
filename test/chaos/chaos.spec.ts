import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeOwnBuild } from '../support/own-build.js';
import { campaign, planOf, type CampaignSettings } from './campaign.js';

const seed = Number(process.env.CHAOS_SEED ?? 1);
let own: Awaited<ReturnType<typeof makeOwnBuild>>;
const ending = new AbortController();
beforeAll(async () => {
  own = await makeOwnBuild();
}, 120_000);
afterAll(async () => {
  ending.abort();
  await own.remove();
});

describe('Real processes on real servers', () => {
  it('keep every invariant under each fault of the short form', async () => {
    const said: string[] = [];
    const settings: CampaignSettings = {
      form: 'short',
      seed,
      atOnce: 2,
      build: own.directory,
      signal: ending.signal,
      tell: (line) => said.push(line),
    };
    const rows = await campaign(settings);
    const results = rows.flatMap((row) => row.results);
    const broken = results.flatMap((result) => result.broken);
    expect(broken.length === 0 ? [] : said).toEqual([]);
    expect(results).toHaveLength(planOf(settings).length);
    // Where nothing goes wrong, nothing is shown.
    const sum = (of: 'acknowledged' | 'refused' | 'extra') =>
      results.reduce((total, result) => total + result[of], 0);
    expect(sum('acknowledged')).toBeGreaterThan(20 * results.length);
    expect(sum('refused')).toBeGreaterThan(0);
    expect(sum('extra')).toBeGreaterThan(0);
    expect(results.flatMap(({ recoveries }) => recoveries).length).toBeGreaterThan(0);
  }, 900_000);
});
