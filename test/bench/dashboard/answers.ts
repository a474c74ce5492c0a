import type { Row } from '../table.js';
import { percentile } from '../side-by-side/figures.js';
import type { BenchApp } from './bench-app.js';
import { callsOf, type Call } from './calls.js';

const aimMs = 200;
const warmUp = 5;

interface Measured {
  readonly ms: number;
  readonly bytes: number;
}

/** Each call of each page over HTTP, by turns, so that nothing is answered from what the same call has just left behind. */
export async function measureAnswers(bench: BenchApp, rounds: number): Promise<Row[]> {
  const calls = await callsOf(bench);
  const measured = new Map<Call, Measured[]>(calls.map((call) => [call, []]));
  for (let round = 0; round < rounds + warmUp; round++)
    for (const call of calls) {
      const one = await ask(bench.url, call, round);
      if (round >= warmUp) measured.get(call)!.push(one);
    }
  return [...measured].map(([{ page, asks }, all]) => {
    const ms = all.map((one) => one.ms);
    const p95 = percentile(ms, 95);
    return {
      page,
      asks,
      'p50, ms': percentile(ms, 50).toFixed(1),
      'p95, ms': p95.toFixed(1),
      'max, ms': Math.max(...ms).toFixed(1),
      'largest, kB': (Math.max(...all.map((one) => one.bytes)) / 1_000).toFixed(1),
      [`asked: p95 < ${aimMs} ms`]: p95 < aimMs ? 'met' : '**missed**',
    };
  });
}

/** From the request to the last byte of the answer. */
async function ask(url: string, call: Call, round: number): Promise<Measured> {
  const [path, body] = call.next(round);
  const from = performance.now();
  const answer = await fetch(new URL(`api/v1/${path}`, url), {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await answer.text();
  const ms = performance.now() - from;
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.slice(0, 500)}`);
  call.learn?.(JSON.parse(text) as never);
  return { ms, bytes: Buffer.byteLength(text) };
}
