import { type CalculationRequest } from '../ledger/requests/calculation-requests.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { affectedByCredits, merge } from './affected-reps.js';
import { refreshAllDerivedCredits } from './refresh-credits.js';

/** Derives the credit lines of every deal again, since credit rules may find other people now. */
export async function deriveFromPeople(tx: Transaction): Promise<CalculationRequest[]> {
  const changes = await refreshAllDerivedCredits(tx);
  const affected = [...(await affectedByCredits(tx, changes)).values()].reduce(merge, new Map());
  return [...affected].map(([repId, days]) => ({ repId, days, trigger: 'credits' }));
}
