import { defineConfig } from 'vite';

/** Relative links alone, and no inline script, style or data: the page is served below any path, under a strict policy. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  build: {
    outDir: '../.tmp/page',
    emptyOutDir: true,
    assetsDir: 'assets',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
  },
});
