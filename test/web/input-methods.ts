import { expect } from 'chai';
import { type ElementHandle, type Page } from 'puppeteer-core';
import { until } from '#test/support/until.js';

/** How a person operates a page: with a pointer or with the keyboard alone. */
export interface InputMethod {
  /** Activates the control with this role and accessible name. */
  press(page: Page, role: ControlRole, name: string): Promise<void>;
  /** Replaces the text of the field with this label. */
  write(page: Page, label: string, text: string): Promise<void>;
  /** Chooses the option with these words. */
  choose(page: Page, label: string, words: string): Promise<void>;
  /** Opens the deal, person or page that the command menu finds first. */
  goTo(page: Page, text: string): Promise<void>;
  /** Opens a page of the navigation. */
  navigate(page: Page, label: string): Promise<void>;
  /** Closes the uppermost layer. */
  close(page: Page): Promise<void>;
}

export type ControlRole = 'button' | 'link' | 'checkbox';

const isPhone = (page: Page) => (page.viewport()?.width ?? 0) < 768;

// biome-ignore lint/suspicious/noExplicitAny: this function runs in the browser, whose types the tests do not have
const isReady = (control: any): boolean => !control.matches(':disabled, [aria-busy]');

// biome-ignore lint/suspicious/noExplicitAny: this function runs in the browser, whose types the tests do not have
const noteClick = (control: any): { isHit: boolean } => {
  const click = { isHit: false };
  control.addEventListener('click', () => Object.assign(click, { isHit: true }), { once: true });
  return click;
};

/**
 * Waits until the control is visible and can be used, whatever replaces it until then. Dialogs are at the end of the document, so the
 * last one is in the uppermost layer.
 */
async function find(page: Page, role: string, name: string): Promise<ElementHandle> {
  // A field that suggests values has the role of a combo box.
  const roles = role === 'textbox' ? [role, 'combobox'] : [role];
  const selector = [...new Set([name, counted(name)])]
    .flatMap((one) => roles.map((each) => `::-p-aria([name="${one}"][role="${each}"])`))
    .join();
  const look = async () => {
    const control = (await page.$$(selector)).at(-1);
    return control !== undefined && (await control.isVisible()) && (await control.evaluate(isReady)) ? control : null;
  };
  // A page that opens another one ends the context of what was found.
  return until(() => look().catch(() => null), { what: `a ${role} “${name}” that can be used` });
}

/** Whether a click reaches the control, which may have moved or been replaced since it was found. */
async function reaches(control: ElementHandle): Promise<boolean> {
  const click = await control.evaluateHandle(noteClick);
  try {
    await control.click();
  } catch (error) {
    if (String(error).includes('not clickable')) return false;
    throw error;
  }
  // A click that opens another page ends the context of this one.
  return click.evaluate(({ isHit }) => isHit).catch(() => true);
}

/** Numbers have no-break spaces behind them. */
function counted(name: string): string {
  return name.replace(/(\d) (?=[a-z])/g, '$1\u00a0');
}

/** The name of a link in the navigation may end with a count. */
const linkOf = (label: string) =>
  `::-p-xpath(//nav[@aria-label="Main"]//a[starts-with(normalize-space(), "${label}")])`;

/** Presses the action of the dialog. It is busy, and takes no click, until what is to be confirmed is loaded. */
export async function submitDialog(page: Page): Promise<void> {
  await page.locator('[role=dialog] button[type=submit]:not([aria-busy])').click();
}

/** Clicks and taps. */
export const pointer: InputMethod = {
  async press(page, role, name) {
    // A click misses a control that content above it has just moved.
    for (let clicks = 0; clicks < 3; clicks += 1) {
      const control = await find(page, role, name);
      // Messages may cover the bottom of a phone for some seconds.
      await control.evaluate((one) => one.scrollIntoView({ block: 'center', behavior: 'instant' }));
      if (await reaches(control)) return;
    }
    throw new Error(`no click reached the ${role} “${name}”`);
  },
  async write(page, label, text) {
    const field = await find(page, 'textbox', label);
    // A click misses a field that content above it has just moved.
    for (let clicks = 0; clicks < 3; clicks += 1) {
      await field.click({ count: 3 });
      if ((await page.evaluate(focusOf, field)).isThere) break;
    }
    await page.keyboard.press('Backspace');
    await field.type(text);
  },
  async choose(page, label, words) {
    const select = await find(page, 'combobox', label);
    await (select as ElementHandle<never>).select(await findValue(page, select, words));
  },
  async goTo(page, text) {
    await pointer.press(page, 'button', isPhone(page) ? 'Search' : await searchName(page));
    await (await find(page, 'combobox', 'Go to a person, deal, plan or page')).type(text);
    await page.locator(`::-p-xpath(//*[@role="option"][contains(., "${text}")])`).click();
  },
  async navigate(page, label) {
    if (isPhone(page)) await pointer.press(page, 'button', 'Navigation');
    await page.locator(linkOf(label)).click();
  },
  async close(page) {
    await pointer.press(page, 'button', 'Close');
  },
};

/** The key of the command menu is part of the name of its button. */
function searchName(page: Page): Promise<string> {
  return page.$eval('header button:has(kbd)', (button) => (button.textContent ?? '').replace('plan', 'plan '));
}

const maxTabs = 300;

/** Only keys. Every element that the focus passes must show it. */
export const keyboard: InputMethod = {
  async press(page, role, name) {
    await tabTo(page, await find(page, role, name), name);
    await page.keyboard.press(role === 'checkbox' ? 'Space' : 'Enter');
  },
  async write(page, label, text) {
    await tabTo(page, await find(page, 'textbox', label), label);
    await page.keyboard.down('Control');
    await page.keyboard.press('a');
    await page.keyboard.up('Control');
    await page.keyboard.type(text);
  },
  async choose(page, label, words) {
    const select = await find(page, 'combobox', label);
    await tabTo(page, select, label);
    const value = await findValue(page, select, words);
    await page.keyboard.type(words);
    await page.waitForFunction((one, chosen) => (one as { value?: string }).value === chosen, {}, select, value);
  },
  async goTo(page, text) {
    await page.keyboard.down('Control');
    await page.keyboard.press('k');
    await page.keyboard.up('Control');
    await page.waitForSelector('[role=combobox]:focus');
    await page.keyboard.type(text);
    await page.waitForSelector(`::-p-xpath(//*[@role="option"][@aria-selected="true"][contains(., "${text}")])`);
    await page.keyboard.press('Enter');
  },
  async navigate(page, label) {
    const target = await page.waitForSelector(linkOf(label), { visible: true });
    await tabTo(page, target as ElementHandle, label);
    await page.keyboard.press('Enter');
  },
  async close(page) {
    await page.keyboard.press('Escape');
  },
};

/** The value of the option of a select, whose options may load after it. */
async function findValue(page: Page, select: ElementHandle, words: string): Promise<string> {
  const found = await page.waitForFunction(optionOf, {}, select, words);
  return found.evaluate((option) => (option as { value: string }).value);
}

// biome-ignore lint/suspicious/noExplicitAny: this function runs in the browser, whose types the tests do not have
function optionOf(select: any, words: string) {
  return [...select.options].find((option: { text: string }) => option.text === words);
}

/** Presses the tab key until the element has the focus. */
async function tabTo(page: Page, target: ElementHandle, name: string): Promise<void> {
  const passed: string[] = [];
  for (let tabs = 0; tabs < maxTabs; tabs += 1) {
    const { isThere, isVisible, words } = await page.evaluate(focusOf, target);
    if (tabs > 0 && !isVisible) expect.fail(`the focus is not visible on ${words}`);
    if (isThere) return;
    passed.push(words);
    await page.keyboard.press('Tab');
  }
  expect.fail(`the tab key does not reach ${name}, but ${[...new Set(passed)].join(', ')}`);
}

// biome-ignore lint/suspicious/noExplicitAny: this function runs in the browser, whose types the tests do not have
function focusOf(target: any): { isThere: boolean; isVisible: boolean; words: string } {
  const page = target.ownerDocument;
  const active = page.activeElement;
  const rings = [active, active.closest('tr'), active.closest('label')].filter((one) => one !== null);
  const hasRing = (element: unknown) => {
    const { outlineStyle, outlineWidth } = page.defaultView.getComputedStyle(element);
    return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1;
  };
  const { width, height } = active.getBoundingClientRect();
  return {
    isThere: active === target,
    isVisible: active === page.body || (rings.some(hasRing) && width > 0 && height > 0),
    words: `${active.tagName.toLowerCase()} "${active.getAttribute('aria-label') ?? active.textContent.slice(0, 40)}"`,
  };
}

/** Opens what a form has behind "More", unless it is open. */
export async function openMore(page: Page): Promise<void> {
  await page.waitForSelector('details summary');
  if ((await page.$('details:not([open]) summary')) === null) return;
  await page.focus('details summary');
  await page.keyboard.press('Enter');
}

/** Types the day into the field of a day. */
export async function typeDay(page: Page, selector: string, day: string): Promise<void> {
  const [year = '', month = '', date = ''] = day.split('-');
  await (await page.waitForSelector(selector))?.type(`${month}${date}${year}`);
}
