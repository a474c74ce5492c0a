import { execFileSync } from 'node:child_process';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { builtFrom, pageFiles } from '../../lib/dashboard/page/page-files.js';

const files = Object.entries(pageFiles).map(([name, { type, gzip }]) => {
  const bytes = Buffer.from(gzip, 'base64');
  return { name, type, bytes: bytes.length, text: gunzipSync(bytes).toString() };
});

describe('The page of the dashboard', () => {
  it('is built from its sources as they are: else run `npm run page`', () => {
    const script =
      "import { sourcesHash } from './lib/dashboard/page/embed.mjs'; process.stdout.write(sourcesHash());";
    const hash = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    expect(builtFrom).toBe(hash);
  });

  it('takes at most 150 kB, compressed', () => {
    expect(files.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(150_000);
  });

  it('holds nothing that its policy forbids, and leads nowhere else', () => {
    const { text } = files.find(({ name }) => name === 'index.html')!;
    expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)|<base/i);
    const links = [...text.matchAll(/\s(?:src|href)="([^"]*)"/g)].map(([, link]) => link!);
    expect(links.length).toBeGreaterThan(0);
    for (const link of links) {
      expect(link).toMatch(/^\.\/[\w./-]+$/);
      expect(files.map(({ name }) => name)).toContain(link.slice(2));
    }
  });
});
