import { type Page } from 'puppeteer-core';
import { texts } from '#test/support/browser.js';

const symbols: Readonly<Record<string, string>> = { USD: '$', EUR: '€', GBP: '£' };

const plainText = (text: string): string => text.replace(/[\s\u00a0\u202f]+/g, ' ').replaceAll('−', '-');

export const textOf = async (page: Page, selector = 'main'): Promise<string> =>
  plainText((await texts(page, selector)).join(' '));

/** "$1,234.50" or "USD 1,234.50" of "USD 1234.50". Negative amounts have their sign before the currency. */
function isIn(text: string, figure: string): boolean {
  const [, currency = '', sign = '', whole = '', cents = ''] = /^([A-Z]{3}) (-?)(\d+)\.(\d\d)$/.exec(figure) ?? [];
  const digits = `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${cents}`;
  return [`${sign}${symbols[currency]}${digits}`, `${currency} ${sign}${digits}`, `${sign}${currency} ${digits}`].some(
    (written) => text.includes(written),
  );
}

/** The amounts that the text does not have. */
export function missingIn(where: string, text: string, amounts: readonly (string | undefined)[]): string[] {
  return amounts.flatMap((amount) =>
    amount === undefined || isIn(text, amount) ? [] : [`${where}: no ${amount} in ${text.slice(0, 1500)}`],
  );
}

/** The row of a table with the name. Amounts without a currency are in that of the workspace, dollars. */
export async function rowOfPerson(page: Page, name: string): Promise<string> {
  const cells = await page.$$eval(
    'tbody tr',
    (all, wanted) => {
      const ofPerson = all.find((row) =>
        [...row.querySelectorAll('*')].some(({ textContent }) => textContent === wanted),
      );
      return [...(ofPerson?.querySelectorAll('th, td') ?? [])].map(({ textContent }) => textContent);
    },
    name,
  );
  const row = plainText(cells.join(' | '));
  return row.replace(/\| (-?)(?=[\d,]+\.\d\d)/g, '| $1$$');
}

/** The rows of tables with the words. */
export async function rowsWith(page: Page, words: string): Promise<string> {
  return plainText((await texts(page, 'tbody tr')).filter((text) => text.includes(words)).join(' '));
}
