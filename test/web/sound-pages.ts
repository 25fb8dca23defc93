import { expect } from 'chai';
import { type Page } from 'puppeteer-core';
import { observeLoading, slowdown, untilQuiet, withinLimits } from './page-timing.js';
import { type OpenedApp, type PageOptions, violations, type WebWorld, waitUntilLoaded } from './web-world.js';

export type Look = Required<Pick<PageOptions, 'scheme' | 'width'>>;

/** Two loads of a page show every scheme and width; the colours of each load are checked in the other scheme too. */
export const looks: readonly Look[] = [
  { scheme: 'light', width: 1280 },
  { scheme: 'dark', width: 390 },
];

const maxTries = 3;

/**
 * Opens the pages one after the other and fails with everything that is wrong: violations of accessibility rules in both
 * schemes, errors, content beyond the window, content that moves while it loads, and a late first picture.
 */
export async function expectSoundPages(
  world: WebWorld,
  role: string,
  pages: Readonly<Record<string, string>>,
  look: Look,
): Promise<void> {
  const opened = await world.openPage(role, '/account', { ...look, prepare: observeLoading });
  const wrong: string[] = [];
  for (const [name, address] of Object.entries(pages))
    for (const problem of await problemsOf(world, opened, address, look)) wrong.push(`${name}: ${problem}`);
  await opened.close();
  expect(wrong.join('\n')).to.equal('');
}

async function problemsOf(world: WebWorld, opened: OpenedApp, address: string, look: Look): Promise<readonly string[]> {
  const { page, problems } = opened;
  problems.length = 0;
  const timing = await loadInTime(world, page, address);
  const tooWide = (await page.evaluate('document.documentElement.scrollWidth - innerWidth')) as number;
  const found = await violations(page);
  await setScheme(page, look.scheme === 'light' ? 'dark' : 'light');
  const ofOtherScheme = await violations(page, { rules: ['color-contrast'] });
  await setScheme(page, look.scheme);
  return [
    ...timing,
    ...problems,
    ...found,
    ...ofOtherScheme.map((one) => `in the other scheme: ${one}`),
    ...(tooWide > 0 ? [`is ${tooWide} pixels wider than the window`] : []),
  ];
}

/** Loads the page as a slow machine does. Other processes delay single loads, so a late one is repeated. */
async function loadInTime(world: WebWorld, page: Page, address: string): Promise<readonly string[]> {
  for (let count = 1; ; count += 1) {
    await page.emulateCPUThrottling(slowdown);
    const wrong = await withinLimits(page, async () => {
      await page.goto(`${world.service.url}${address}`, { waitUntil: 'load' });
      await waitUntilLoaded(page);
      await untilQuiet(page);
    });
    await page.emulateCPUThrottling(1);
    if (wrong.length === 0 || count === maxTries) return wrong;
  }
}

async function setScheme(page: Page, scheme: Look['scheme']): Promise<void> {
  await page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: scheme },
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ]);
  await page.waitForFunction(`document.documentElement.dataset.mantineColorScheme === '${scheme}'`);
}
