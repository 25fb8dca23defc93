const collator = new Intl.Collator('en');

/** The order of names in files: Çelik stands before Dang, and Łukasz before Maria. */
export function compareNames(left: string, other: string): number {
  return collator.compare(left, other);
}
