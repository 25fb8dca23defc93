const decimal = /^-?\d+(\.\d+)?$/;

/** Why the text is no amount to pay or to take back. Null for an amount, and for a text without content. */
export function amountProblem(text: string): string | null {
  const amount = text.trim();
  if (amount === '' || (decimal.test(amount) && Number(amount) !== 0)) return null;
  return 'A number such as 250 or -99.50.';
}
