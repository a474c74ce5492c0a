import { openMemoryStore } from '../support/memory-store.js';
import { describeConformance } from './conformance/conformance.js';

describeConformance('memory', openMemoryStore);
