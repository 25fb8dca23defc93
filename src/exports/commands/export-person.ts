import { z } from 'zod';
import { invalid } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { notYours, repIdQuery, repNotFound } from '../../people/reps/rep.js';
import { findPerson } from '../../people/reps/rep-views.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { resolvePeriod } from '../../statements/statement-views.js';
import { exportFailures, exportJob, exportJobExample, mayExportPerson } from '../export-job.js';
import { ExportRequests } from '../export-requests.js';

const body = z.strictObject({
  repId: repIdQuery.optional().describe('Whose data, by id (UUID), for admins; default: the caller'),
});

export const exportPerson = operation({
  id: 'exportPerson',
  summary:
    'Make one ZIP archive of everything that is stored about a person: terms, statements with calculations, also as PDF, signatures, acceptances, questions, and which calls named them',
  method: 'post',
  path: '/v1/me/export',
  access: 'rep',
  payroll: true,
  finance: true,
  stepUp: 'always',
  scope: null,
  reads: true,
  body,
  response: exportJob,
  status: 202,
  failures: exportFailures,
  example: {
    body: { repId: sampleIds.repId },
    response: {
      ...exportJobExample,
      kind: 'person.zip',
      repId: sampleIds.repId,
      file: { ...exportJobExample.file, filename: 'personal-data.zip', manifestSha256: 'b'.repeat(64) },
    },
  },
  uses: { requests: ExportRequests, clock: CLOCK },
  async execute({ body: { repId = null } }, caller, { requests, clock }) {
    const personId = repId ?? caller.repId;
    if (personId === null) throw invalid({ path: 'repId', message: 'is required with an API key' });
    if (!mayExportPerson(caller, personId)) throw notYours();
    return requests.submit(
      caller,
      async (tx) => {
        if ((await findPerson(tx, personId)) === null) throw repNotFound();
        const { period } = await resolvePeriod(tx, undefined, clock);
        return { kind: 'person.zip', repId: personId, managerId: null, period };
      },
      { async: true },
    );
  },
});
