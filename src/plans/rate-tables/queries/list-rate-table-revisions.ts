import { z } from 'zod';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { rateTableNotFound, rowCounts, tableParams } from '../rate-table.js';
import { listTableRevisions } from '../rate-table-views.js';

const tableRevision = z
  .object({
    revision: z.int().describe('Number of the change'),
    changedAt: z.string().describe('When it was made, instant in ISO 8601'),
    actor: z.string().describe('Who made it'),
    note: z.string().describe('Why, as the caller said; empty for none'),
    counts: rowCounts,
    deleted: z.boolean().describe('Whether the change deleted the table'),
  })
  .describe('A change of the table');

export const listRateTableRevisions = operation({
  id: 'listRateTableRevisions',
  summary: 'Who changed a rate table, the latest change first',
  method: 'get',
  path: '/v1/rate-tables/:name/revisions',
  access: 'manager',
  params: tableParams,
  response: z.object({ revisions: z.array(tableRevision).describe('At most the 1000 latest changes') }),
  failures: { rate_table_not_found: 404 },
  example: {
    params: { name: 'Products' },
    response: {
      revisions: [
        {
          revision: 1,
          changedAt: '2026-01-02T09:00:00.000Z',
          actor: 'ada@acme.test',
          note: 'Rates of 2026',
          counts: { added: 2, changed: 0, ended: 0 },
          deleted: false,
        },
      ],
    },
  },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { name } }, caller, { unitOfWork }) {
    const revisions = await unitOfWork.run(caller, { lock: 'none', access: 'read' }, (tx) =>
      listTableRevisions(tx, name),
    );
    if (revisions.length === 0) throw rateTableNotFound();
    return {
      revisions: revisions.map(({ changedAt, ...same }) => ({ ...same, changedAt: changedAt.toISOString() })),
    };
  },
});
