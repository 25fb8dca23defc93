import { Failure } from '../../kernel/failure.js';
import { groupBy } from '../../kernel/group-by.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type TableRow } from '../../platform/files/csv-table.js';
import { rejectedRow } from '../../platform/files/import-results.js';
import { lockDeals } from '../deal-store.js';

/** A row of a file with what was read, or the failure that rejects it. */
export interface RowOfDeal<Read, Row extends TableRow<'dealId'> = TableRow<'dealId'>> {
  readonly row: Row;
  readonly read: Read | Failure;
}

/**
 * The rows of a deal replace what it has together: one failed row rejects the others of its deal. So does a deal that
 * does not exist, and a failure of `check`, which gets what was read of one deal.
 */
export async function rejectTogether<Read, Row extends TableRow<'dealId'>>(
  tx: Transaction,
  rows: readonly RowOfDeal<Read, Row>[],
  check: (reads: readonly Read[]) => void,
): Promise<RowOfDeal<Read, Row>[]> {
  const known = groupBy(
    rows.filter(({ row }) => row.cells.dealId !== undefined),
    ({ row }) => row.cells.dealId as string,
  );
  const stored = await lockDeals(tx, [...known.keys()]);
  const failures = new Map<string, Failure>();
  for (const [dealId, ofDeal] of known) {
    const exists = stored.get(dealId)?.deleted === false;
    const failure = exists ? findFailure(ofDeal, check) : dealNotFound;
    if (failure !== null) failures.set(dealId, failure);
  }
  return rows.map(({ row, read }) => {
    const failure = failures.get(row.cells.dealId ?? '');
    return { row, read: read instanceof Failure || failure === undefined ? read : failure };
  });
}

const dealNotFound = new Failure('deal_not_found', 'There is no deal with this id in this workspace.');

function findFailure<Read>(rows: readonly RowOfDeal<Read>[], check: (reads: readonly Read[]) => void): Failure | null {
  const reads = rows.flatMap(({ read }) => (read instanceof Failure ? [] : [read]));
  if (reads.length < rows.length) return rejectedRow('another row of this deal is rejected');
  try {
    check(reads);
    return null;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}
