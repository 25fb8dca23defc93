import { z } from 'zod';
import { pageFields } from '../../api/resource-fields.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { operation } from '../../platform/operations/operation.js';
import { offsetPage } from '../../platform/operations/schemas.js';
import { type ImportRecord, importRecord, listImportsOfWorkspace } from '../import-history.js';

const response = z.object({
  imports: z.array(importRecord).describe('The imports of the page, newest first'),
  ...pageFields,
});

export const importExample: ImportRecord = {
  importId: sampleIds.jobId,
  kind: 'deals',
  at: '2026-02-11T08:30:00.000Z',
  actor: `rep:${sampleIds.managerId}`,
  actorName: 'Mia Manager',
  fileName: 'opportunities.csv',
  counts: { created: 1, changed: 0, unchanged: 0, stale: 0, rejected: 0 },
  totals: [{ currency: 'USD', amount: 120000 }],
  rows: 1,
  takenBackAt: null,
};

export const listImports = operation({
  id: 'listImports',
  summary: 'Imports of files of every kind, newest first, with counts and control totals',
  method: 'get',
  path: '/v1/imports',
  access: 'admin',
  query: z.strictObject(offsetPage('imports', 200, 50)),
  response,
  failures: {},
  example: {
    query: { limit: '50', offset: '0' },
    response: { imports: [importExample], count: 1, limit: 50, offset: 0 },
  },
  uses: { unitOfWork: UnitOfWork },
  async execute({ query: page }, caller, { unitOfWork }): Promise<z.input<typeof response>> {
    return { ...(await unitOfWork.read(caller, (tx) => listImportsOfWorkspace(tx, page))), ...page };
  },
});
