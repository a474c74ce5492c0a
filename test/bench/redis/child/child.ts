import { runChild } from '../../side-by-side/child/run-child.js';
import { systems } from './systems.js';

// Loaded only where it is used: a boot is measured from nothing.
await runChild(systems, async (url) => (await import('./probe.js')).openProbe(url));
