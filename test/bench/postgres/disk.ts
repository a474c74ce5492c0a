import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from '../side-by-side/figures.js';

const page = Buffer.alloc(8_192, 1);
const pages = 100;

/** Milliseconds until a page that is written is on the disk where the server has its data: every commit waits for that. */
export function syncMs(): number {
  const folder = mkdtempSync(join(tmpdir(), 'nestjs-jobs-bench-'));
  const file = openSync(join(folder, 'page'), 'w');
  try {
    for (let n = 0; n < pages; n++) writeSync(file, page, 0, page.length, n * page.length);
    fdatasyncSync(file);
    const took: number[] = [];
    for (let n = 0; n < pages; n++) {
      const from = performance.now();
      writeSync(file, page, 0, page.length, n * page.length);
      fdatasyncSync(file);
      took.push(performance.now() - from);
    }
    return median(took);
  } finally {
    closeSync(file);
    rmSync(folder, { recursive: true });
  }
}
