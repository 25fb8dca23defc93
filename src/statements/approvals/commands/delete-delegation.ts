import { z } from 'zod';
import { recordAuditEntry } from '../../../audit/audit-entry.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { pathId } from '../../../platform/operations/schemas.js';
import { assertMayDelegate, delegationExample, delegationNotFound, findDelegations } from '../delegation.js';

export const deleteDelegation = operation({
  id: 'deleteDelegation',
  summary: 'End a delegation at once. What the delegate has signed stays signed',
  method: 'delete',
  path: '/v1/delegations/:delegationId',
  scope: null,
  access: 'manager',
  params: z.strictObject({ delegationId: pathId.describe('Id of the delegation (UUID)') }),
  response: z.object({ deleted: z.literal(true).describe('Always true') }),
  failures: { delegation_not_found: 404 },
  example: { params: { delegationId: delegationExample.delegationId }, response: { deleted: true } },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { delegationId } }, caller, { unitOfWork }) {
    return unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, async (tx) => {
      const [stored] = await findDelegations(tx, caller, delegationId);
      if (stored === undefined) throw delegationNotFound();
      assertMayDelegate(caller, stored.delegator.repId);
      await tx.db
        .deleteFrom('delegations')
        .where('workspace_id', '=', tx.workspaceId)
        .where('delegation_id', '=', stored.delegationId)
        .execute();
      await recordAuditEntry(tx, caller, {
        trigger: 'delegation_deleted',
        scope: 'workspace',
        details: { delegationId: stored.delegationId },
      });
      return { deleted: true as const };
    });
  },
});
