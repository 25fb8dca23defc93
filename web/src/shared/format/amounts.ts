import { readNumber } from './entered-numbers.js';

/** Why the text is not an amount that can be paid or deducted. Null for an amount, and for an empty text. */
export function amountProblem(text: string): string | null {
  if (text.trim() === '') return null;
  const amount = readNumber(text);
  return amount === null || amount === 0 ? 'Enter a number such as 250 or −99.50.' : null;
}
