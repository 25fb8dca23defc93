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

/** The violations of the accessibility rules, one line each. */
export async function violations(page: Page, { within, rules }: AccessibilityOptions = {}): Promise<string[]> {
  const part = within === undefined ? 'document' : JSON.stringify(within);
  const only = rules === undefined ? axeTags : { type: 'rule', values: rules };
  const options = JSON.stringify({ runOnly: only, resultTypes: ['violations'], preload: false, iframes: false });
  const run = `typeof axe === 'undefined' ? null : axe.run(${part}, ${options}).then(({ violations }) => violations)`;
  let found = (await page.evaluate(run)) as readonly Violation[] | null;
  if (found === null) {
    await loadAxe(page);
    found = (await page.evaluate(run)) as readonly Violation[];
  }
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  );
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
  const shown = (await page.evaluate('document.documentElement.dataset.mantineColorScheme')) as Scheme;
  await setScheme(page, shown === 'light' ? 'dark' : 'light');
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
