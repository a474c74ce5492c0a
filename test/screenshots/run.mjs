// Finds the browser, then makes the pictures. Run by `npm run screenshots`.
import { findChromium } from '../support/servers/chromium.mjs';

process.env.TEST_CHROMIUM = findChromium();
await import('../../.tmp/screenshots/test/screenshots/main.js');
