import { expect } from 'chai';
import { type Page } from 'puppeteer-core';
import { type Browser, type OpenedApp, type PageOptions } from '#test/support/browser.js';
import { toggleScheme, violations, violationsInBothSchemes } from './accessibility.js';
import { lateness, movements, observeLoading, slowdown, untilQuiet } from './page-timing.js';

const phoneWidth = 768;

export type Look = Required<Pick<PageOptions, 'scheme' | 'width' | 'height'>>;

/** The window is so high that what moves further down is noticed. */
export const looks: readonly Look[] = [
  { scheme: 'light', width: 1280, height: 1800 },
  { scheme: 'dark', width: 390, height: 1800 },
];

/**
 * Opens the pages one after the other and fails with everything that is wrong: violations of accessibility rules, errors, content beyond the window, content that moves while it loads, and a late first picture. A wide page is checked
 * in both schemes; on a phone, which has the same colours, every second page is light.
 */
export async function expectSoundPages(
  browser: Browser,
  role: string,
  pages: Readonly<Record<string, string>>,
  look: Look,
): Promise<void> {
  const opened = await browser.openPage(role, '/account', { ...look, prepare: observeLoading });
  const wrong: string[] = [];
  for (const [name, address] of Object.entries(pages))
    for (const problem of await problemsOf(browser, opened, address, look)) wrong.push(`${name}: ${problem}`);
  await opened.close();
  expect(wrong.join('\n')).to.equal('');
}

async function problemsOf(
  browser: Browser,
  { page, problems }: OpenedApp,
  address: string,
  { width }: Look,
): Promise<readonly string[]> {
  problems.length = 0;
  const timing = await loadInTime(browser, page, address);
  const tooWide = (await page.evaluate('document.documentElement.scrollWidth - innerWidth')) as number;
  const found = width < phoneWidth ? await violations(page) : await violationsInBothSchemes(page);
  if (width < phoneWidth) await toggleScheme(page);
  return [...timing, ...problems, ...found, ...(tooWide > 0 ? [`is ${tooWide} pixels wider than the window`] : [])];
}

/**
 * Loads the page until a load is in time, or its content moves. A page that this machine paints within a quarter of the limit is
 * within it on a machine that is four times slower, so only other pages are loaded as on such a machine, repeatedly,
 * because other processes delay single loads.
 */
async function loadInTime(browser: Browser, page: Page, address: string): Promise<readonly string[]> {
  let late: readonly string[] = [];
  for (const factor of [1, slowdown, slowdown, slowdown]) {
    await page.emulateCPUThrottling(factor);
    await browser.visit(page, address);
    await untilQuiet(page);
    await page.emulateCPUThrottling(1);
    const moved = await movements(page);
    if (moved.length > 0) return moved;
    late = await lateness(page, factor);
    if (late.length === 0) break;
  }
  return late;
}
