import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { Browser, type PageOptions } from '#test/support/browser.js';
import { stopTestServer } from '#test/support/test-database.js';
import { adminPages } from './admin-pages.js';
import { payrollPages } from './payroll-pages.js';
import { repPages } from './rep-pages.js';
import { createTeamSituation, teamPages } from './team-pages.js';

const looks = (['light', 'dark'] as const).flatMap((scheme) => [1280, 390].map((width) => ({ scheme, width })));

/**
 * Writes a picture of every page in both schemes and widths to the folder of the first argument, or to
 * dist/screenshots. A second argument restricts the names of the pages.
 */
async function main(folder = 'dist/screenshots', only = ''): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const browser = await Browser.start();
  try {
    const groups = [
      { role: null, pages: { 'sign-in': '/login' } },
      { role: 'rep', pages: await repPages(browser) },
      { role: 'payroll', pages: await payrollPages(browser) },
      { role: 'manager', pages: teamPages(await createTeamSituation(browser)) },
      { role: 'admin', pages: await adminPages(browser) },
    ];
    for (const { role, pages } of groups)
      for (const [name, address] of Object.entries(pages))
        if (name.includes(only)) for (const look of looks) await take(browser, folder, name, { role, address }, look);
  } finally {
    await browser.stop();
    await stopTestServer();
  }
}

async function take(
  browser: Browser,
  folder: string,
  name: string,
  { role, address }: { readonly role: string | null; readonly address: string },
  look: Required<Pick<PageOptions, 'scheme' | 'width'>>,
) {
  const { page, problems, close } = await browser.openPage(role, address, look);
  // The results of simulations arrive after the page.
  await page.waitForNetworkIdle({ idleTime: 400, timeout: 10_000 }).catch(() => undefined);
  const isPhone = look.width < 768;
  const height = (await page.evaluate('document.documentElement.scrollHeight')) as number;
  // The navigation is as high as the window.
  if (!isPhone) await page.setViewport({ width: look.width, height });
  const file = `${name}-${look.scheme}${isPhone ? '-phone' : ''}.png` as const;
  await page.screenshot({ path: path.join(folder, file) as `${string}.png`, fullPage: !isPhone });
  for (const problem of problems) process.stderr.write(`${file}: ${problem}\n`);
  await close();
}

await main(...process.argv.slice(2));
