import { z } from 'zod';
import { Failure } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { operation } from '../../platform/operations/operation.js';
import { requireUuid, text } from '../../platform/operations/schemas.js';

const unknown = 'There is no such acceptance in this workspace.';

export const deleteAcceptedException = operation({
  id: 'deleteAcceptedException',
  summary: 'Take back the acceptance of an exception: its deals are listed again',
  method: 'delete',
  path: '/v1/commissions/exceptions/accepted/:acceptanceId',
  access: 'admin',
  params: z.strictObject({ acceptanceId: text(200).describe('Id of the acceptance (UUID)') }),
  response: z.object({
    deleted: z.boolean().describe('Always true: an unknown acceptance gets status 404'),
    acceptanceId: z.string().describe('Id of the acceptance (UUID)'),
  }),
  failures: { acceptance_not_found: 404 },
  example: {
    params: { acceptanceId: sampleIds.acceptanceId },
    response: { deleted: true, acceptanceId: sampleIds.acceptanceId },
  },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params }, caller, { unitOfWork }) {
    const acceptanceId = requireUuid(params.acceptanceId, 'acceptance_not_found', unknown);
    return unitOfWork.write(caller, async (tx) => {
      const { numDeletedRows } = await tx.db
        .deleteFrom('accepted_exceptions')
        .where('workspace_id', '=', tx.workspaceId)
        .where('acceptance_id', '=', acceptanceId)
        .executeTakeFirst();
      if (numDeletedRows === 0n) throw new Failure('acceptance_not_found', unknown);
      return { deleted: true, acceptanceId };
    });
  },
});
