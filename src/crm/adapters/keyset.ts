import { z } from 'zod';
import { CrmFailure } from './port.js';

/**
 * Where a listing ordered by time continues: at that instant, without the rows already read. An offset would skip a
 * row whenever an earlier one is deleted or modified.
 */
export interface Keyset {
  readonly from: string;
  readonly seen: readonly string[];
  /** Rows to skip. Used only if more rows than a page holds share the instant. */
  readonly offset: number;
}

export interface KeysetRow {
  readonly id: string;
  /** Formatted so that instants compare as text. */
  readonly at: string;
}

/** Null after an empty page. */
export function nextKeyset(current: Keyset | null, page: readonly KeysetRow[]): Keyset | null {
  const last = page.at(-1);
  if (last === undefined) return null;
  if (current !== null && last.at <= current.from)
    return { from: current.from, seen: current.seen, offset: current.offset + page.length };
  return { from: last.at, seen: page.filter(({ at }) => at === last.at).map(({ id }) => id), offset: 0 };
}

const keyset = z.object({ from: z.string(), seen: z.array(z.string()), offset: z.int().nonnegative() });

/** Parses a cursor. An invalid cursor makes the listing start over. */
export function readCursor(cursor: string | undefined): Keyset | null {
  if (cursor === undefined) return null;
  try {
    return keyset.parse(JSON.parse(cursor));
  } catch {
    throw new CrmFailure('cursor_expired', 'the cursor of the listing is unknown');
  }
}
