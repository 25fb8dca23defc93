import { type Page } from 'puppeteer-core';
import { type Browser, type OpenedApp } from '#test/support/browser.js';
import { violations } from './accessibility.js';

/** What was checked and what is wrong with it. */
export interface Crawled {
  readonly pages: string[];
  /** Titles of the dialogs and drawers that opened. */
  readonly dialogs: Set<string>;
  readonly wrong: string[];
}

const layer = '[role=dialog], section[role=complementary]';
const desktop = { width: 1280, height: 900 };
const phone = { width: 390, height: 844 };
/** Buttons that open no dialog and leave the app or the page. */
const others = /sign out|export|download|csv|pdf|xlsx|^json$|copy|print|previous|next|earlier|^remove/i;

/** After a press, a request that changes something has no answer. Previews are requests that read. */
const readsOnly = `(() => {
  const send = window.fetch;
  window.fetch = (input, init = {}) => {
    const isRead = (init.method ?? 'GET') === 'GET' || /dryRun=true|preview|simulat/i.test(String(input.url ?? input));
    return isRead || !window.isPressed ? send(input, init) : new Promise(() => undefined);
  };
})()`;

/** Opens each address once, on a desktop and a phone, and each dialog to which a button of the page leads. */
export async function crawl(browser: Browser, person: string, addresses: readonly string[]): Promise<Crawled> {
  const opened = await browser.openPage(person, '/account', {
    ...desktop,
    prepare: (page) => page.evaluateOnNewDocument(readsOnly),
  });
  // The builder asks before it is left with a draft.
  opened.page.on('dialog', (dialog) => void dialog.accept());
  const crawled: Crawled = { pages: [], dialogs: new Set(), wrong: [] };
  const pressed = new Set<string>();
  for (const address of addresses) {
    await checkPage(browser, opened, address, crawled);
    await openDialogs(browser, opened, address, pressed, crawled);
  }
  await opened.close();
  return crawled;
}

async function checkPage(
  browser: Browser,
  { page, problems }: OpenedApp,
  address: string,
  { pages, wrong }: Crawled,
): Promise<void> {
  problems.length = 0;
  await browser.visit(page, address);
  const found = await violations(page);
  await page.setViewport(phone);
  await untilDrawn(page);
  const tooWide = (await page.evaluate('document.documentElement.scrollWidth - innerWidth')) as number;
  if (tooWide > 0) found.push(`is ${tooWide} pixels wider than a phone`);
  found.push(...(await violations(page)).map((violation) => `on a phone: ${violation}`));
  await page.setViewport(desktop);
  await untilDrawn(page);
  pages.push(address);
  wrong.push(...[...found, ...problems].map((problem) => `${address}: ${problem}`));
}

/** A press may leave a draft of a plan incomplete: its preview is rejected, and the page says why. */
function faultsOf(problems: readonly string[]): readonly string[] {
  const others = problems.filter((problem) => !/^400: .*\/preview$/.test(problem));
  // The console repeats each rejection without its address.
  const isOfPreview = !others.some((problem) => /^4\d\d: /.test(problem));
  return isOfPreview ? others.filter((problem) => !/status of 400/.test(problem)) : others;
}

async function openDialogs(
  browser: Browser,
  { page, problems }: OpenedApp,
  address: string,
  pressed: Set<string>,
  { dialogs, wrong }: Crawled,
): Promise<void> {
  for (;;) {
    const name = await pressNext(page, pressed);
    if (name === null) return;
    problems.length = 0;
    await page.waitForSelector(layer, { timeout: 400 }).catch(() => undefined);
    await untilDrawn(page);
    const opened = await page.$(layer);
    if (opened !== null) {
      const title = (await opened.evaluate((element) => element.getAttribute('aria-label'))) ?? name;
      if (!dialogs.has(title)) {
        dialogs.add(title);
        const found = [...(await violations(page, { within: layer })), ...faultsOf(problems)];
        wrong.push(...found.map((problem) => `${address}, ${name}, “${title}”: ${problem}`));
      }
      await page.keyboard.press('Escape');
    }
    await untilDrawn(page);
    if (!(await isUnchanged(page, address))) await browser.visit(page, address);
  }
}

/** Presses the first button that was not pressed yet: of those of rows, one for each kind. Null if there is none. */
async function pressNext(page: Page, pressed: Set<string>): Promise<string | null> {
  const path = new URL(page.url()).pathname.replace(/[0-9a-f-]{36}/g, '');
  const ofPage = 'main button:not([type=submit], [role=tab], :disabled, [aria-busy], th *)';
  const buttons = await page.$$(`header button, ${ofPage}`);
  for (const button of buttons) {
    const { name, kind, isHeader } = await button.evaluate((element) => {
      const words = element.getAttribute('aria-label') ?? element.textContent ?? '';
      const inRow = element.closest('tbody, li') !== null;
      const isOfAll = element.closest('main') === null;
      return {
        name: words,
        isHeader: isOfAll,
        kind: inRow ? `${element.className} ${element.parentElement?.className}` : words,
      };
    });
    const key = isHeader ? kind : `${path} ${kind}`;
    if (pressed.has(key)) continue;
    pressed.add(key);
    if (others.test(name) || !(await button.isVisible())) continue;
    await page.evaluate('window.isPressed = true');
    await button.evaluate((element) => (element as unknown as { click(): void }).click());
    return name;
  }
  return null;
}

async function isUnchanged(page: Page, address: string): Promise<boolean> {
  const { pathname, search } = new URL(page.url());
  return `${pathname}${search}` === address && (await page.$(layer)) === null;
}

/** Resolves when what a press or a new width displays is drawn and loaded. */
async function untilDrawn(page: Page): Promise<void> {
  // A press may lead to another document.
  const drawn = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))';
  await page.evaluate(drawn).catch(() => undefined);
  await page
    .waitForFunction(`document.querySelector('[role="status"][style*="height"]') === null`, { timeout: 3000 })
    .catch(() => undefined);
}
