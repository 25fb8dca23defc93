import { z } from 'zod';
import { sampleIds } from '../../kernel/sample-ids.js';
import { setAuditCounts } from '../../platform/database/audit-counts.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { operation } from '../../platform/operations/operation.js';
import { text } from '../../platform/operations/schemas.js';
import { correctionName, correctionValue, maxCorrectionNameLength } from '../correction-fields.js';
import { dealId } from '../deal.js';
import { dismissConflicts } from '../dismiss-conflicts.js';

const body = z.strictObject({
  conflicts: z
    .array(
      z
        .strictObject({
          dealId: dealId.describe('Id of the deal in the CRM'),
          name: text(maxCorrectionNameLength).describe(correctionName.description ?? ''),
          reported: correctionValue.describe('The value of the source, as the list of corrections has it'),
        })
        .describe('One conflict'),
    )
    .min(1)
    .max(10_000)
    .describe('The conflicts to dismiss. One that does not exist, or whose source states another value by now, stays'),
});
const response = z.object({ dismissed: z.int().describe('Number of conflicts that were dismissed') });

export const dismissCorrectionConflicts = operation({
  id: 'dismissCorrectionConflicts',
  summary: 'Keep corrected values and show their conflicts again only when a source states another value',
  method: 'post',
  path: '/v1/deal-corrections/dismiss',
  access: 'admin',
  body,
  response,
  failures: {},
  example: {
    body: { conflicts: [{ dealId: sampleIds.dealId, name: 'amount', reported: '100000' }] },
    response: { dismissed: 1 },
  },
  uses: { unitOfWork: UnitOfWork },
  async execute({ body: { conflicts } }, caller, { unitOfWork }) {
    return unitOfWork.write(caller, async (tx) => {
      const dismissed = await dismissConflicts(tx, conflicts, caller.actor);
      setAuditCounts(tx, { changed: dismissed });
      return { dismissed };
    });
  },
});
