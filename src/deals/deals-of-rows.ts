import { Failure } from '../kernel/failure.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type TableRow } from '../platform/files/csv-table.js';
import { knownDealIds } from './deal-views.js';
import { withStoredDealIds } from './opportunity-ids.js';

/** The rows of a file with the ids that their deals are stored under, and whether a deal exists. */
export async function loadDealsOfRows<Name extends string>(
  tx: Transaction,
  sent: readonly TableRow<Name | 'dealId'>[],
) {
  const rows = await withStoredDealIds(tx, sent);
  const known = await knownDealIds(
    tx,
    rows.flatMap(({ cells }) => cells.dealId ?? []),
  );
  return {
    rows,
    assertKnown(dealId: string): void {
      if (!known.has(dealId)) throw new Failure('deal_not_found', `There is no deal with the id ${dealId}.`);
    },
  };
}
