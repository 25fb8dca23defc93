import { type Day } from '../kernel/day.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type AssumedRows, loadPayFacts } from './pay-facts.js';
import { buildGroups, isBefore, type LoadedGroup, refundedDeal } from './pay-groups.js';
import { loadPayableRows } from './payable-rows.js';

/** The groups of the reps, in one read of each table. `firstDay` is that of the first pay period. */
export async function loadGroups(
  tx: Transaction,
  repIds: readonly string[],
  firstDay: Day,
  assumed?: AssumedRows,
): Promise<ReadonlyMap<string, readonly LoadedGroup[]>> {
  const stored = await loadPayableRows(tx, { repIds, firstDay });
  const all = assumed === undefined ? stored : assumed.replace(stored, ({ repId }) => repIds.includes(repId));
  const rows = all.filter((row) => !isBefore(row, firstDay));
  const facts = await loadPayFacts(
    tx,
    rows.filter((row) => refundedDeal(row) === null),
    assumed,
  );
  return buildGroups(rows, facts, firstDay);
}
