import { type FieldValue } from '../engine/field-value.js';
import { groupBy } from '../kernel/group-by.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { conflictsOf } from './apply-corrections.js';
import { withDismissed } from './corrections.js';
import { lockDeals, updateCorrections } from './deal-store.js';
import { type NamedCorrection } from './end-corrections.js';

export interface SeenConflict extends NamedCorrection {
  /** The value of the source that the person has seen. */
  readonly reported: FieldValue;
}

/** Dismisses conflicts that still exist as they were seen. Returns their number. */
export async function dismissConflicts(tx: Transaction, seen: readonly SeenConflict[], by: string): Promise<number> {
  const byDeal = groupBy(seen, ({ dealId }) => dealId);
  const stored = await lockDeals(tx, [...byDeal.keys()].sort());
  const at = new Date().toISOString();
  let dismissed = 0;
  const writes = [...stored.values()].flatMap(({ dealId, corrections, deleted }) => {
    if (corrections === null || deleted) return [];
    const next = (byDeal.get(dealId) ?? []).reduce(
      (read, conflict) => withDismissed(read, conflict, { by, at }),
      corrections,
    );
    const count = conflictsOf(dealId, corrections).length - conflictsOf(dealId, next).length;
    dismissed += count;
    return count === 0 ? [] : [{ dealId, corrections: next }];
  });
  await updateCorrections(tx, writes);
  return dismissed;
}
