/** Whether what a rule measures is money: the amount of deals or products, or a formula of it. */
export function countsMoney({ measure }: { readonly measure?: string | undefined }): boolean {
  return measure !== undefined && /\b(?:deal_?)?amount\b/i.test(measure);
}
