import { readNumber } from './entered-numbers.js';

/** Why the text is no amount to pay or to take back. Null for an amount, and for a text without content. */
export function amountProblem(text: string): string | null {
  if (text.trim() === '') return null;
  const amount = readNumber(text);
  return amount === null || amount === 0 ? 'Enter a number such as 250 or -99.50.' : null;
}
