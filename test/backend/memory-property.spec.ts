import { openMemoryStore } from '../support/memory-store.js';
import { describeProperty } from './conformance/property.js';

describeProperty('memory', openMemoryStore, { runs: 300, steps: 60 });
