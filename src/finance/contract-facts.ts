import { storedFacts } from '../platform/files/stored-facts.js';
import { assertContract, type Contract, contractTerms } from './contract.js';
import { requireAccounting } from './settings-views.js';

/** Only the books read contracts, so they decide no commission. */
export const contractFacts = storedFacts<Contract>({
  table: 'accounting_facts',
  fixed: { kind: 'contract', name: '' },
  key: { dealId: ['deal_id', 'text'] },
  terms: contractTerms.keyof().options,
  async assertStorable(tx, changes) {
    await requireAccounting(tx);
    for (const { after } of changes) if (after !== null) assertContract(after);
  },
});
