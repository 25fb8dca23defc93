/** The slug in small letters. Only A to Z change, as in PostgreSQL's `lower(… collate "C")`. */
export function foldedSlug(slug: string): string {
  return slug.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
