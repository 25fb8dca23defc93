interface Person {
  readonly repId: string;
}

/** The people before and after the person in the order of the review; null at its ends. */
export function neighbours<Row extends Person>(
  rows: readonly Row[],
  repId: string,
): { readonly place: number; readonly previous: Row | null; readonly next: Row | null } {
  const place = rows.findIndex((row) => row.repId === repId);
  if (place < 0) return { place, previous: null, next: rows[0] ?? null };
  return { place, previous: rows[place - 1] ?? null, next: rows[place + 1] ?? null };
}
