import { assertDealExists } from '../../deals/deal-views.js';
import { deleteOf, factsAtPath, getOf, putOf } from '../../imports/fact-operations.js';
import { contract, contractExample, contractNotFound, contractParams, contractTerms } from '../contract.js';
import { contractFacts } from '../contract-facts.js';
import { requireAccounting } from '../settings-views.js';

const contracts = factsAtPath({
  facts: contractFacts,
  path: '/v1/deals/:dealId/contract',
  params: contractParams,
  terms: contractTerms,
  response: contract,
  example: contractExample,
  failures: { accounting_off: 409 },
  notFound: contractNotFound,
  async find(tx, { dealId }) {
    await requireAccounting(tx);
    return (await contractFacts.list(tx, { dealId: [dealId] }))[0] ?? null;
  },
  async assertChangeable(tx, { dealId }) {
    await requireAccounting(tx);
    await assertDealExists(tx, dealId);
  },
  trigger: 'recalculation',
});

export const putContract = putOf(contracts, {
  id: 'putContract',
  summary: 'Store what is known of the contract of a deal, which decides how its cost is amortised, and no commission',
  failures: { deal_not_found: 404, invalid_terms: 400 },
});

export const deleteContract = deleteOf(contracts, {
  id: 'deleteContract',
  summary: 'Take back what is stated of the contract of a deal',
  unknown: 'a deal without a contract',
  failures: { deal_not_found: 404 },
});

export const getContract = getOf(contracts, {
  id: 'getContract',
  summary: 'Get what is known of the contract of a deal, now or as of an earlier instant',
  payroll: true,
});
