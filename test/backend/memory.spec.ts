import { memoryBackend } from '../../lib/backend/memory/memory-backend.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { describeConformance } from './conformance/conformance.js';

describeConformance('memory', async (settings) => {
  const clock = new VirtualClock();
  const backend = memoryBackend({ clock });
  await backend.open(settings);
  return { backend, advance: (ms) => clock.advance(ms), close: () => backend.close() };
});
