import { editDistance } from '../../kernel/edit-distance.js';

/** Of a file with more unknown columns, the first ones show what is wrong. */
export const maxSuggested = 20;

/** Names that resemble each other do so in their first characters. The time of a comparison grows with its square. */
const maxComparedLength = 60;

/** The same key for names that differ only in case, spaces and punctuation. */
export function nameKey(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}

/** The known names of columns. Of two names with the same key, the first is used. */
export class ColumnNames {
  private readonly byKey = new Map<string, string>();

  constructor(private readonly names: readonly string[]) {
    for (const name of names) {
      const key = nameKey(name);
      if (key !== '' && !this.byKey.has(key)) this.byKey.set(key, name);
    }
  }

  /** The known name of a header cell; null if there is none. */
  find(cell: string): string | null {
    return this.names.includes(cell) ? cell : (this.byKey.get(nameKey(cell)) ?? null);
  }

  /** Known names that resemble the cell, most similar first. */
  suggest(cell: string): string[] {
    const key = nameKey(cell).slice(0, maxComparedLength);
    const scored = [...this.byKey].flatMap(([whole, name]) => {
      const known = whole.slice(0, maxComparedLength);
      const most = Math.max(2, Math.floor(known.length / 3));
      const distance = isPartOf(key, known) ? 0 : distanceWithin(most, key, known);
      return distance <= most ? [{ name, distance }] : [];
    });
    return scored
      .sort((a, b) => a.distance - b.distance)
      .slice(0, 3)
      .map(({ name }) => name);
  }
}

/** Texts whose lengths differ by more than the distance are farther apart. */
function distanceWithin(most: number, key: string, known: string): number {
  return Math.abs(key.length - known.length) > most ? Number.POSITIVE_INFINITY : editDistance(key, known);
}

function isPartOf(a: string, b: string): boolean {
  return a.length >= 3 && b.length >= 3 && (a.includes(b) || b.includes(a));
}
