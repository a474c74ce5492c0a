import { memoryBackend } from '../../lib/backend/memory/memory-backend.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { describeProperty } from './conformance/property.js';

describeProperty(
  'memory',
  async (settings) => {
    const clock = new VirtualClock();
    const backend = memoryBackend({ clock });
    await backend.open(settings);
    return { backend, advance: (ms) => clock.advance(ms), close: () => backend.close() };
  },
  { runs: 300, steps: 60 },
);
