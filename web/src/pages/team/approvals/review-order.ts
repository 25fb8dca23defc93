interface Person {
  readonly repId: string;
}

/** The people before and after the person in the order of the review; null at its ends. */
export function neighbours<Row extends Person>(
  rows: readonly Row[],
  repId: string,
): { readonly position: number; readonly previous: Row | null; readonly next: Row | null } {
  const position = rows.findIndex((row) => row.repId === repId);
  if (position < 0) return { position, previous: null, next: rows[0] ?? null };
  return { position, previous: rows[position - 1] ?? null, next: rows[position + 1] ?? null };
}

/** The next of the meant people after the person, beginning again at the first; null if there is no other. */
export function nextOf<Row extends Person>(rows: readonly Row[], meant: readonly Row[], repId: string): Row | null {
  const position = rows.findIndex((row) => row.repId === repId);
  const after = [...rows.slice(position + 1), ...rows.slice(0, Math.max(0, position))];
  return after.find((row) => meant.includes(row)) ?? null;
}
