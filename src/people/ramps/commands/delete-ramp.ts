import { z } from 'zod';
import { fields, pathIds } from '../../../api/resource-fields.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { rampInUse } from '../ramp.js';
import { removeRamp } from '../ramp-store.js';
import { findRamp } from '../ramp-views.js';

export const deleteRamp = operation({
  id: 'deleteRamp',
  summary: 'Delete a ramp that no assignment uses',
  method: 'delete',
  path: '/v1/ramps/:rampId',
  access: 'admin',
  params: z.strictObject({ rampId: pathIds.rampId }),
  response: z.object({
    deleted: z.boolean().describe('Always true: an unknown ramp gets status 404'),
    rampId: fields.rampId,
  }),
  failures: { ramp_not_found: 404, ramp_in_use: 409 },
  example: { params: { rampId: sampleIds.rampId }, response: { deleted: true, rampId: sampleIds.rampId } },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params }, caller, { unitOfWork }) {
    return unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, async (tx) => {
      const { rampId, assignments } = await findRamp(tx, params.rampId);
      if (assignments > 0) throw rampInUse(assignments);
      await removeRamp(tx, rampId);
      return { deleted: true, rampId };
    });
  },
});
