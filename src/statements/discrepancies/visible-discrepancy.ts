import { type Caller, maySee } from '../../kernel/caller.js';
import { notYours } from '../../people/reps/rep.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type Discrepancy, discrepancyNotFound } from './discrepancy.js';
import { findDiscrepancy } from './discrepancy-views.js';

/** The discrepancy of a rep whom the caller may see. */
export async function findVisibleDiscrepancy(
  tx: Transaction,
  caller: Caller,
  discrepancyId: string,
): Promise<Discrepancy> {
  const found = await findDiscrepancy(tx, discrepancyId);
  if (found === null) throw discrepancyNotFound();
  if (!maySee(caller, found.repId)) throw notYours();
  return found;
}
