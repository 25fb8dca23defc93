import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type CDPSession, type Page } from 'puppeteer-core';
import { type Scheme, setScheme } from '#test/support/browser.js';

export interface AccessibilityOptions {
  /** Only this part of the page, as a selector. Rules about the page as a whole are then left out. */
  readonly within?: string;
  /** Only these rules. */
  readonly rules?: readonly string[];
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
}

/** A script that the browser keeps for the page, so that each load runs it without sending and compiling it again. */
interface KeptScript {
  readonly session: CDPSession;
  readonly scriptId: string;
}

const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const axeTags = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'];
const keptScripts = new WeakMap<Page, KeptScript>();

/** The violations of the accessibility rules and of the form of texts and styles, one line each. */
export async function violations(page: Page, { within, rules }: AccessibilityOptions = {}): Promise<string[]> {
  const part = within === undefined ? 'document' : JSON.stringify(within);
  const only = rules === undefined ? axeTags : { type: 'rule', values: rules };
  const options = JSON.stringify({ runOnly: only, resultTypes: ['violations'], preload: false, iframes: false });
  // The header covers links where the page is scrolled, and does so anywhere in a page.
  await page.evaluate(`scrollTo({ top: 0, behavior: 'instant' })`);
  const run = `typeof axe === 'undefined' ? null : axe.run(${part}, ${options}).then(({ violations }) => violations)`;
  let found = (await page.evaluate(run)) as readonly Violation[] | null;
  if (found === null) {
    await loadAxe(page);
    found = (await page.evaluate(run)) as readonly Violation[];
  }
  const wrong = found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  );
  return rules === undefined ? [...wrong, ...(await rawTexts(page)), ...(await undefinedStyles(page))] : wrong;
}

/** Texts that people do not read as they are stored: code, and the cells of files. */
const asStored = 'script, style, code, pre, textarea, option, datalist, [translate="no"]';

/** A day of the API, or a hyphen in the place of a minus sign. */
const rawText = String.raw`/(?<![\w“"/.-])\d{4}-\d{2}-\d{2}(?:T\d{2}:|(?![\w”"/-]))|(?<![^\s(])-(?=(?:\p{Sc}|[A-Z]{3} ?)?\d)/u`;

/** The texts of the page with days or signs that no formatter has written. */
async function rawTexts(page: Page): Promise<string[]> {
  return (await page.evaluate(`(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = [];
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
      if (node.parentElement.closest('${asStored}') === null && ${rawText}.test(node.data)) found.push(node.data);
    return [...new Set(found)].map((text) => 'raw text: ' + text.trim());
  })()`)) as string[];
}

/** Elements that are to have a class that no style has. */
async function undefinedStyles(page: Page): Promise<string[]> {
  return (await page.evaluate(
    `[...document.querySelectorAll('.undefined')].map((one) => 'class undefined: ' + one.outerHTML.slice(0, 120))`,
  )) as string[];
}

/**
 * The violations of all rules in the scheme of the open page, and of the rules of colours in the other scheme, in which
 * the page stays.
 */
export async function violationsInBothSchemes(page: Page): Promise<string[]> {
  const found = await violations(page);
  await toggleScheme(page);
  const inOther = await violations(page, { rules: ['color-contrast'] });
  return [...found, ...inOther.map((one) => `in the other scheme: ${one}`)];
}

/** Changes the scheme of the page, in which it stays. */
export async function toggleScheme(page: Page): Promise<void> {
  const visible = (await page.evaluate('document.documentElement.dataset.mantineColorScheme')) as Scheme;
  await setScheme(page, visible === 'light' ? 'dark' : 'light');
}

async function loadAxe(page: Page): Promise<void> {
  const kept = keptScripts.get(page);
  // A page in another process of the browser does not have the script.
  if (kept !== undefined && (await run(kept).catch(() => false))) return;
  const session = kept?.session ?? (await page.createCDPSession());
  await session.send('Runtime.enable');
  const { scriptId = '' } = await session.send('Runtime.compileScript', {
    expression: axeSource,
    sourceURL: 'axe.js',
    persistScript: true,
  });
  keptScripts.set(page, { session, scriptId });
  await run({ session, scriptId });
}

async function run({ session, scriptId }: KeptScript): Promise<boolean> {
  const { exceptionDetails } = await session.send('Runtime.runScript', { scriptId, silent: true });
  return exceptionDetails === undefined;
}
