import { type Day } from '../../kernel/day.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type AssumedRows, loadPayFacts } from './pay-facts.js';
import { buildGroups, isBefore, type LoadedGroup, refundedDeal } from './pay-groups.js';
import { loadPayableRows, type PayableRow } from './payable-rows.js';

/** The groups of the reps, in one read of each table. `firstDay` is that of the first pay period. */
export async function loadGroups(
  tx: Transaction,
  repIds: readonly string[],
  firstDay: Day,
): Promise<ReadonlyMap<string, readonly LoadedGroup[]>> {
  return groupRows(tx, await loadPayableRows(tx, { repIds, firstDay }), firstDay);
}

/** The groups of the rows. The facts that decide about them are read, and are those of the assumption where it has some. */
export async function groupRows(
  tx: Transaction,
  all: readonly PayableRow[],
  firstDay: Day,
  assumed?: AssumedRows,
): Promise<ReadonlyMap<string, readonly LoadedGroup[]>> {
  const rows = all.filter((row) => !isBefore(row, firstDay));
  const facts = await loadPayFacts(
    tx,
    rows.filter((row) => refundedDeal(row) === null),
    assumed,
  );
  return buildGroups(rows, facts, firstDay);
}
