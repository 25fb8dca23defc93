import { type Caller } from '../kernel/caller.js';
import { chunkBySize } from '../kernel/chunk.js';
import { loadFrozenOfReps, loadTermsOfReps, type RepTerms } from '../ledger/input/rep-terms.js';
import { type UnitOfWork } from '../platform/database/unit-of-work.js';
import { type DealExplainer } from './deal-explainer.js';
import { listExpectedDeals } from './exception-views.js';
import { type Exception } from './exceptions.js';
import { calculateExceptions, type ExplainedRep } from './rep-exceptions.js';

/** So many reps are read in one short transaction. */
export const repsPerTransaction = 100;

/** The input of so many reps and deals is in memory together. */
const maxBatch = { items: repsPerTransaction, size: 2000 };

const readOnly = { lock: 'none', access: 'read', replica: true } as const;

/** The exceptions of the reps, which are at most {@link repsPerTransaction}; those of large reps are found one at a time. */
export async function findExceptionsOf(
  caller: Caller,
  scope: Omit<ExplainedRep, 'repId'>,
  repIds: readonly string[],
  { unitOfWork, explainer }: { readonly unitOfWork: UnitOfWork; readonly explainer: DealExplainer },
): Promise<Exception[]> {
  const { workspace, days } = scope;
  const found: Exception[] = [];
  const large = await unitOfWork.run(caller, readOnly, async (tx) => {
    const terms = await loadTermsOfReps(tx, repIds, workspace);
    const frozen = await loadFrozenOfReps(tx, repIds);
    const expected = await listExpectedDeals(tx, days, repIds);
    const reps = [...terms].map(([repId, ofRep]): RepTerms => ({ ...ofRep, frozen: frozen.get(repId) ?? [] }));
    const sizes = await explainer.measureReps(tx, reps, days);
    const small = reps.filter(({ repId }) => !sizes.large.has(repId));
    for (const batch of chunkBySize(small, ({ repId }) => sizes.deals.get(repId) ?? 0, maxBatch))
      found.push(...(await calculateExceptions(tx, batch, scope, expected)));
    return sizes.large;
  });
  for (const repId of large) found.push(...(await explainer.findExceptions(caller, readOnly, { ...scope, repId })));
  return found;
}
