import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, expect } from '@jest/globals';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';

export const browserFlags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface Visit {
  readonly page: Page;
  /** What must not be: errors of the page, refusals of its policy, requests elsewhere, dialogs that a script opened. */
  readonly faults: string[];
}

let browser: Promise<Browser> | undefined;
const visits: Visit[] = [];

afterEach(async () => {
  const faults: string[] = [];
  for (const visit of visits.splice(0)) {
    faults.push(...visit.faults);
    await visit.page.context().close();
  }
  expect(faults).toEqual([]);
});
afterAll(async () => {
  await (await browser)?.close();
  browser = undefined;
});

/** Opens an address in a browser that is otherwise empty; after the test it is closed, and nothing may have gone wrong in it. */
export async function visit(address: string, options: BrowserContextOptions = {}): Promise<Visit> {
  // A profile of its own each time.
  browser ??= chromium.launch({ executablePath: process.env.TEST_CHROMIUM, args: browserFlags });
  const context = await (await browser).newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(20_000);
  await context.addInitScript({ content: axeSource() });
  await context.addInitScript(() => {
    const { document } = globalThis as any;
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }: any) =>
      console.error(`policy: ${violatedDirective} ${blockedURI}`),
    );
  });
  const page = await context.newPage();
  const faults: string[] = [];
  const { host } = new URL(address);
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('console', (line) => {
    // A refused or failed call is the page's to show; the browser notes it as well.
    if (line.type() === 'error' && !line.text().startsWith('Failed to load resource'))
      faults.push(line.text());
  });
  page.on('request', (request) => {
    if (new URL(request.url()).host !== host) faults.push(`request to ${request.url()}`);
  });
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  const visit = { page, faults };
  visits.push(visit);
  await page.goto(address);
  return visit;
}

/** The serious and critical faults that axe finds on the page as it is. */
export async function axeFaults(page: Page): Promise<string[]> {
  const found = await page.evaluate(async () => {
    const { axe, document } = globalThis as any;
    const { violations } = await axe.run(document, { resultTypes: ['violations'] });
    const faults: { id: string; impact: string; nodes: { html: string }[] }[] = violations;
    return faults.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map(({ html }) => html) }));
  });
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).join(' | ')}`);
}

/** What has the focus: its text, or its id where that is asked for. */
export function focused(page: Page, as: 'textContent' | 'id' = 'textContent'): Promise<string> {
  return page.evaluate((as) => {
    const { document } = globalThis as any;
    return String(document.activeElement?.[as] ?? '').trim();
  }, as);
}

function axeSource(): string {
  return readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
}
