import { type Transaction } from '../platform/database/unit-of-work.js';
import { type FactChange, factOf, factsOf } from '../platform/files/facts.js';
import { assertContract, type Contract, type ContractTerms } from './contract.js';
import { insertFacts, listFacts } from './fact-store.js';
import { requireAccounting } from './settings-views.js';

interface KnownContract extends Contract {
  readonly updatedAt: string;
}

/** The contracts of the deals. */
export async function listContracts(tx: Transaction, dealIds: readonly string[]): Promise<KnownContract[]> {
  const facts = await listFacts<ContractTerms>(tx, 'contract', { dealIds });
  return facts.map(({ dealId, content, updatedAt }) => ({ dealId, ...content, updatedAt }));
}

/** Only the books read contracts, so they decide no commission. */
export const contractFacts = factsOf<Contract>({
  key: ['dealId'],
  terms: ['start', 'end', 'months', 'terminatedOn', 'renewalOf', 'value', 'fields'],
  load: async (tx, contracts) =>
    (await listContracts(tx, [...new Set(contracts.map(({ dealId }) => dealId))])).map(
      ({ updatedAt: _, ...known }) => known,
    ),
  async store(tx, changes) {
    await storeContracts(tx, changes);
    return [];
  },
});

/** Stores each contract in place of the one of its deal. */
export async function storeContracts(tx: Transaction, changes: readonly FactChange<Contract>[]): Promise<void> {
  await requireAccounting(tx);
  for (const { after } of changes) if (after !== null) assertContract(after);
  await insertFacts(
    tx,
    'contract',
    changes.map((change) => {
      const { dealId, ...terms } = factOf(change);
      return { dealId, name: '', content: change.after === null ? null : terms };
    }),
  );
}
