/** The sums that are not 0, or the first of them, such as `4800 USD and 500.33 EUR`. */
export function sumWords(sums: readonly { readonly total: number; readonly currency: string }[]): string {
  const paid = sums.filter(({ total }) => total !== 0);
  return (paid.length === 0 ? sums.slice(0, 1) : paid)
    .map(({ total, currency }) => `${total} ${currency}`)
    .join(' and ');
}
