import { loadDealsOnStatements } from '../../deals/deal-names.js';
import { findRepNames } from '../../people/reps/rep-views.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { listHolds, planNotAccepted } from './hold-views.js';
import { type PayableEntry } from './payable-entry.js';
import { type Entry } from './payable-views.js';

/** The entries with the names of people and deals, and the reasons of holds. */
export async function nameEntries(tx: Transaction, entries: readonly Entry[]): Promise<PayableEntry[]> {
  const names = await findRepNames(tx, [...new Set(entries.map(({ repId }) => repId))]);
  const findDeal = await loadDealsOnStatements(tx, entries);
  const reasons = new Map((await listHolds(tx, {})).map(({ holdId, reason }) => [holdId, reason]));
  return entries.map(({ key: _, holds, amount, ...entry }) => ({
    ...entry,
    repName: names.get(entry.repId) ?? '',
    dealName: findDeal(entry).dealName,
    amount: amount.toNumber(),
    ...(holds === undefined
      ? {}
      : {
          heldBy: holds.map(({ holdId, from, to }) => ({
            holdId,
            reason: reasons.get(holdId) ?? planNotAccepted,
            from,
            to,
          })),
        }),
  }));
}
