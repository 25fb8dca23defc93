import { z } from 'zod';
import { pathIds } from '../../../api/resource-fields.js';
import { maySee } from '../../../kernel/caller.js';
import { invalid } from '../../../kernel/failure.js';
import { notYours, repIdQuery } from '../../../people/reps/rep.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { acceptanceExample, acceptanceNotNeeded, acceptanceWithDocument } from '../acceptance.js';
import { findAcceptance } from '../acceptance-views.js';
import { documentExample } from '../plan-document.js';

export const getPlanDocument = operation({
  id: 'getPlanDocument',
  summary:
    'Get the document that a person accepts: the plan as it is executed, their own terms, worked amounts, and the SHA-256 of all three',
  method: 'get',
  path: '/v1/plans/:planVersionId/document',
  access: 'rep',
  params: z.strictObject({ planVersionId: pathIds.planVersionId }),
  query: z.strictObject({ repId: repIdQuery.optional().describe('Whose document, by id (UUID); default: the caller') }),
  response: acceptanceWithDocument,
  failures: { acceptance_not_needed: 404 },
  example: {
    params: { planVersionId: acceptanceExample.planVersionId },
    query: { repId: acceptanceExample.repId },
    response: { ...acceptanceExample, document: documentExample },
  },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { planVersionId }, query }, caller, { unitOfWork }) {
    const repId = query.repId ?? caller.repId;
    if (repId === null) throw invalid({ path: 'repId', message: 'is required with an API key' });
    if (!maySee(caller, repId)) throw notYours();
    return unitOfWork.read(caller, async (tx) => {
      const found = await findAcceptance(tx, planVersionId, repId);
      if (found === null) throw acceptanceNotNeeded();
      return found;
    });
  },
});
