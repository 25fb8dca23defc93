import { z } from 'zod';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { delegation, delegationExample, findDelegations } from '../delegation.js';

export const listDelegations = operation({
  id: 'listDelegations',
  summary: 'List who signs statements for whom: all for admins, for others those from and to them',
  method: 'get',
  path: '/v1/delegations',
  access: 'manager',
  response: z.object({ delegations: z.array(delegation).describe('The delegations, the latest first day first') }),
  failures: {},
  example: { response: { delegations: [delegationExample] } },
  uses: { unitOfWork: UnitOfWork },
  async execute(_, caller, { unitOfWork }) {
    return unitOfWork.read(caller, async (tx) => ({ delegations: await findDelegations(tx, caller, null) }));
  },
});
