/** Splits the items into chunks of the size; the last one may be smaller. */
export function chunk<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/** Splits the items into chunks of at most so many items and so much total size; a larger item is alone. */
export function chunkBySize<T>(
  items: readonly T[],
  sizeOf: (item: T) => number,
  max: { readonly items: number; readonly size: number },
): T[][] {
  const chunks: T[][] = [];
  let current: T[] = [];
  let total = 0;
  for (const item of items) {
    const size = sizeOf(item);
    if (current.length === max.items || (current.length > 0 && total + size > max.size)) {
      chunks.push(current);
      [current, total] = [[], 0];
    }
    current.push(item);
    total += size;
  }
  if (current.length > 0) chunks.push(current);
  return chunks;
}
