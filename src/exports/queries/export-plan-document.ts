import { z } from 'zod';
import { pathIds } from '../../api/resource-fields.js';
import { maySee, seesTeam } from '../../kernel/caller.js';
import { invalid } from '../../kernel/failure.js';
import { notYours, repIdQuery } from '../../people/reps/rep.js';
import { acceptanceExample, acceptanceNotNeeded } from '../../plans/acceptance/acceptance.js';
import { findAcceptance } from '../../plans/acceptance/acceptance-views.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { flag } from '../../platform/operations/schemas.js';
import { resolvePeriod } from '../../statements/statement-views.js';
import { exportFailures, exportJob } from '../export-job.js';
import { ExportRequests, type ExportResponse } from '../export-requests.js';

export const exportPlanDocument = operation({
  id: 'exportPlanDocument',
  summary: 'Export the document that a person accepts as PDF, with its SHA-256. The same document is the same file',
  method: 'get',
  path: '/v1/plans/:planVersionId/document.pdf',
  access: 'rep',
  stepUp: (_input, caller) => seesTeam(caller),
  params: z.strictObject({ planVersionId: pathIds.planVersionId }),
  query: z.strictObject({
    repId: repIdQuery.optional().describe('Whose document, by id (UUID); default: the caller'),
    async: flag.default(false).describe('true: respond with the export job at once; false: wait for the file'),
  }),
  response: exportJob,
  otherStatus: 202,
  startsWork: true,
  files: ['application/pdf', 'application/json'],
  failures: { ...exportFailures, acceptance_not_needed: 404 },
  example: {
    params: { planVersionId: acceptanceExample.planVersionId },
    query: { repId: acceptanceExample.repId },
  },
  uses: { requests: ExportRequests, clock: CLOCK },
  async execute({ params: { planVersionId }, query }, caller, { requests, clock }): Promise<ExportResponse> {
    const repId = query.repId ?? caller.repId;
    if (repId === null) throw invalid({ path: 'repId', message: 'is required with an API key' });
    if (!maySee(caller, repId)) throw notYours();
    return requests.submit(
      caller,
      async (tx) => {
        if ((await findAcceptance(tx, planVersionId, repId)) === null) throw acceptanceNotNeeded();
        const { period } = await resolvePeriod(tx, undefined, clock);
        return { kind: 'plan.pdf', repId, managerId: null, period, planVersionId };
      },
      query,
    );
  },
});
