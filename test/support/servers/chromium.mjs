// Where the browser of this machine is.
import { spawnSync } from 'node:child_process';
import { findOrInstall, install } from './machine.mjs';

const programs = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Where CHROMIUM is set that program is used; else the first on the path; else the Debian package is installed; else it says what to type. */
export function findChromium() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  return findOrInstall(onPath, 'chromium', () => install('chromium'), 'chromium');
}

function onPath() {
  const found = programs.map((program) => spawnSync('which', [program], { encoding: 'utf8' }));
  return found.find(({ status }) => status === 0)?.stdout.trim();
}
