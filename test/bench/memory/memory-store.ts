import { machine, runMeasures, type Measures } from '../side-by-side/run-measures.js';
import type { Settings } from '../side-by-side/settings.js';
import { ours } from '../side-by-side/system.js';
import type { BenchStore } from '../store.js';
import { measureFlat } from './measures/flat.js';
import { measureDue, measureLatency, measureLoad } from './measures/latency.js';
import { measureEnqueue, measureFeatures, measureProcess, measureQueues } from './measures/pace.js';
import { measureIdle, measureMemory } from './measures/rest.js';
import type { MemoryBench } from './memory-bench.js';

export const memoryMeasures: Measures<MemoryBench> = {
  process: measureProcess,
  enqueue: measureEnqueue,
  queues: measureQueues,
  features: measureFeatures,
  latency: measureLatency,
  load: measureLoad,
  due: measureDue,
  memory: measureMemory,
  idle: measureIdle,
  flat: measureFlat,
};

/** The embedded backend: what the library itself costs, with no server in between. */
export const memoryStore: BenchStore = {
  name: 'memory',
  measures: Object.keys(memoryMeasures),
  systems: [ours],

  async run(settings, _tools, made) {
    const bench = { settings, say: (text: string) => console.error(`… ${text}`) };
    await runMeasures(bench, memoryMeasures, async () => describe(settings), made);
  },
};

function describe({ form }: Settings) {
  return {
    machine: machine(),
    versions: `Node ${process.versions.node}`,
    settings: `in one process, logging off, no-op handlers, payload of 100 bytes; a round before those that count warms up${form === 'full' ? '' : ` (${form}: too short to quote)`}`,
  };
}
