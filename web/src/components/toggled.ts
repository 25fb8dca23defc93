/** The keys with one more, or without it. */
export function toggled(keys: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(keys);
  if (!next.delete(key)) next.add(key);
  return next;
}

/** The keys with all of the others, or without them. */
export function withAll(keys: ReadonlySet<string>, others: readonly string[], isChosen: boolean): ReadonlySet<string> {
  const next = new Set(keys);
  for (const key of others) {
    if (isChosen) next.add(key);
    else next.delete(key);
  }
  return next;
}
