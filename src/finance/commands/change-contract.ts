import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { assertDealExists } from '../../deals/deal-views.js';
import { type Caller } from '../../kernel/caller.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { operation } from '../../platform/operations/operation.js';
import {
  type Contract,
  contract,
  contractExample,
  contractNotFound,
  contractParams,
  contractTerms,
} from '../contract.js';
import { listContracts, storeContracts } from '../contract-facts.js';
import { requireAccounting } from '../settings-views.js';

const uses = { unitOfWork: UnitOfWork };
const params = { dealId: contractExample.dealId };
const { dealId: _, updatedAt: __, ...body } = contractExample;

export const putContract = operation({
  id: 'putContract',
  summary: 'Store what is known of the contract of a deal, which decides how its cost is amortised, and no commission',
  method: 'put',
  path: '/v1/deals/:dealId/contract',
  access: 'admin',
  params: contractParams,
  body: contractTerms,
  response: contract,
  failures: { accounting_off: 409, deal_not_found: 404, invalid_terms: 400 },
  example: { params, body, response: contractExample },
  uses,
  async execute({ params: { dealId }, body: terms }, caller, parts): Promise<z.input<typeof contract>> {
    return change(caller, parts, { dealId, ...terms }) as Promise<z.input<typeof contract>>;
  },
});

export const deleteContract = operation({
  id: 'deleteContract',
  summary: 'Take back what is stated of the contract of a deal',
  method: 'delete',
  path: '/v1/deals/:dealId/contract',
  access: 'admin',
  params: contractParams,
  response: z.object({
    deleted: z.boolean().describe('Always true: a deal without a contract gets status 404'),
    dealId: fields.dealId,
  }),
  failures: { accounting_off: 409, deal_not_found: 404, contract_not_found: 404 },
  example: { params, response: { deleted: true, ...params } },
  uses,
  async execute({ params: { dealId } }, caller, parts) {
    await change(caller, parts, { dealId });
    return { deleted: true, dealId };
  },
});

/** Stores the contract, or removes it without terms, and returns what is stored. */
async function change(
  caller: Caller,
  { unitOfWork }: { readonly unitOfWork: UnitOfWork },
  stated: Contract | Pick<Contract, 'dealId'>,
) {
  const { dealId } = stated;
  return unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, async (tx) => {
    await requireAccounting(tx);
    await assertDealExists(tx, dealId);
    const [before = null] = await listContracts(tx, [dealId]);
    const after = 'fields' in stated ? stated : null;
    if (before === null && after === null) throw contractNotFound();
    await storeContracts(tx, [{ before, after }]);
    return (await listContracts(tx, [dealId]))[0];
  });
}
