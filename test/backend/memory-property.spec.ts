import { memoryBackend } from '../../lib/backend/memory/memory-backend.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { describeProperty } from './conformance/property.js';
import { describeScheduleProperty } from './conformance/property-schedules.js';
import type { OpenStore } from './conformance/setup.js';

const open: OpenStore = async (settings) => {
  const clock = new VirtualClock();
  const backend = memoryBackend({ clock });
  await backend.open(settings);
  return { backend, advance: (ms) => clock.advance(ms), close: () => backend.close() };
};

describeProperty('memory', open, { runs: 300, steps: 60 });
describeScheduleProperty('memory', open, { runs: 300, steps: 60 });
