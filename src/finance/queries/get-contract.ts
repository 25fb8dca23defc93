import { z } from 'zod';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { operation } from '../../platform/operations/operation.js';
import { asOfQuery } from '../../platform/operations/schemas.js';
import { contract, contractExample, contractNotFound, contractParams } from '../contract.js';
import { listContracts } from '../contract-facts.js';
import { requireAccounting } from '../settings-views.js';

export const getContract = operation({
  id: 'getContract',
  summary: 'Get what is known of the contract of a deal, now or as of an earlier instant',
  method: 'get',
  path: '/v1/deals/:dealId/contract',
  access: 'admin',
  payroll: true,
  params: contractParams,
  query: z.strictObject({ asOf: asOfQuery }),
  response: contract,
  failures: { accounting_off: 409, contract_not_found: 404 },
  example: { params: { dealId: contractExample.dealId }, response: contractExample },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { dealId }, query: { asOf } }, caller, { unitOfWork }): Promise<z.input<typeof contract>> {
    return unitOfWork.run(caller, { lock: 'none', access: 'read', asOf }, async (tx) => {
      await requireAccounting(tx);
      const [found] = await listContracts(tx, [dealId]);
      if (found === undefined) throw contractNotFound();
      return found;
    });
  },
});
