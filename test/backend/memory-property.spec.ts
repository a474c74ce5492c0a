import { openMemoryStore } from '../support/memory-store.js';
import { describeProperty } from './conformance/property.js';
import { describeScheduleProperty } from './conformance/property-schedules.js';

describeProperty('memory', openMemoryStore, { runs: 300, steps: 60 });
describeScheduleProperty('memory', openMemoryStore, { runs: 300, steps: 60 });
