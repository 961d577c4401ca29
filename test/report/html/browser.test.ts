import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AxeResults } from 'axe-core';
import { chromium, type Browser, type Page as Tab } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderHtml } from '../../../src/report/html/html.ts';
import type { Page } from '../../../src/report/page/page.ts';
import { TOOL } from '../hostile.ts';
import { foldedPage, pageWith, TRICKS } from './pages.ts';
import { orAll } from '../../support/soak.ts';

const PROGRAM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
/** Each is two changes, on the page whose filters are tried. */
const PAIRS = orAll(250, 5_000);
const ALL = PAIRS * 2;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

describe.skipIf(PROGRAM === undefined)('the HTML page in Chromium (skipped where there is none)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gwconf-html-'));
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: PROGRAM ?? '', args: ['--no-sandbox'] });
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
  });

  /** Opens a page in a tab that notes what it should not do. */
  async function open(page: Page): Promise<{ readonly tab: Tab; readonly wrong: readonly string[] }> {
    const path = join(folder, 'plan.html');
    writeFileSync(path, [...renderHtml(page, { tool: TOOL })].join(''));
    const context = await browser.newContext({ bypassCSP: false });
    const tab = await context.newPage();
    const wrong: string[] = [];
    const url = pathToFileURL(path).href;
    tab.on('request', (request) => {
      if (request.url() !== url) wrong.push(`request of ${request.url()}`);
    });
    tab.on('pageerror', (error) => wrong.push(error.message));
    tab.on('console', (message) => wrong.push(message.text()));
    tab.on('dialog', (dialog) => {
      wrong.push(dialog.message());
      void dialog.dismiss();
    });
    await tab.goto(url);
    return { tab, wrong };
  }

  async function faultsOf(tab: Tab): Promise<readonly string[]> {
    // The tool that looks is not part of the page, whose policy stays as it is.
    const results = await tab.evaluate<AxeResults>(`${AXE}; axe.run()`);
    return results.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`);
  }

  it.each([
    ['ten changes', pageWith(10), ['light', 'dark'] as const],
    ['hostile names', pageWith(2, TRICKS), ['light'] as const],
    ['what others did', foldedPage(), ['dark'] as const],
    ['no changes', { ...pageWith(0), blocks: [], totals: () => ({ rows: [] }) }, ['light'] as const],
  ])('with %s loads nothing, has no error, and is accessible, light and dark', async (_, page, schemes) => {
    const { tab, wrong } = await open(page);
    for (const colorScheme of schemes) {
      await tab.emulateMedia({ colorScheme });
      expect(await faultsOf(tab), colorScheme).toEqual([]);
    }
    expect(await tab.title()).toBe('Plan: some to update');
    expect(wrong).toEqual([]);
    await tab.context().close();
  });

  it('fits a phone', async () => {
    const { tab } = await open(pageWith(4, TRICKS));
    await tab.setViewportSize({ width: 360, height: 740 });
    const excess = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect(await tab.evaluate(excess)).toBe(0);
    await tab.context().close();
  });

  it('filters many changes by text, kind, virtual cluster and action, by keyboard', async () => {
    const { tab, wrong } = await open(pageWith(PAIRS));
    const shown = tab.getByRole('status');
    const told = (words: string): Promise<void> => expect.poll(() => shown.textContent()).toBe(words);
    const press = async (...keys: readonly string[]): Promise<void> => {
      for (const key of keys) await tab.keyboard.press(key);
    };
    await told(`${ALL} of ${ALL} shown`);
    await press('Tab');
    await tab.keyboard.type('object-77@');
    await told(`2 of ${ALL} shown`);
    await press('Tab');
    await press('ArrowDown', 'ArrowDown');
    await told(`1 of ${ALL} shown`);
    await press('Tab');
    await press('ArrowDown');
    await told(`0 of ${ALL} shown`);
    await press('ArrowDown');
    await told(`1 of ${ALL} shown`);
    await press('Tab', 'Space');
    await told(`0 of ${ALL} shown`);
    await press('Tab', 'Tab', 'Enter');
    await told(`${ALL} of ${ALL} shown`);
    expect(wrong).toEqual([]);
    await tab.context().close();
  });

  it('shows all when it is printed', async () => {
    const { tab } = await open(pageWith(3));
    await tab.emulateMedia({ media: 'print' });
    expect(await tab.locator('form').isVisible()).toBe(false);
    await tab.context().close();
  });
});
