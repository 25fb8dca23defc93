import { z } from 'zod';
import { fields, pathIds } from '../../api/resource-fields.js';
import { dealId } from '../../deals/deal.js';
import { countImportedVersions, listChangedSince, listImportedValues } from '../../deals/import/imported-deals.js';
import { listChangedLinesSince, loadLinesBefore } from '../../deals/import/imported-lines.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { operation } from '../../platform/operations/operation.js';
import { wholeNumber } from '../../platform/operations/schemas.js';
import { factsOfImports, listReversals } from '../facts-of-imports.js';
import { findImport, importRecord } from '../import-history.js';
import { importExample } from './list-imports.js';

const maxListed = 100;

const values = z
  .object({
    name: fields.dealName.nullable(),
    amount: z.number().nullable().describe('Amount of the deal in `currency`'),
    currency: z.string().nullable().describe('Currency of the deal, ISO 4217 code; null if it has none'),
    stage: fields.stage.nullable(),
    closeDate: fields.closeDate.nullable(),
    owner: z.string().nullable().describe('The owner as the deal names it; null for none'),
  })
  .describe('The standard values of the deal');

const response = z.object({
  import: importRecord,
  deals: z
    .array(
      z
        .object({
          dealId: fields.dealId,
          before: values.nullable().describe('What the import replaced; null for a new deal'),
          after: values.describe('What it stored'),
        })
        .describe('One deal'),
    )
    .describe('The deals of the page that were not changed since, in the order of their ids'),
  unchangedSince: z
    .int()
    .describe(
      'Number of all deals whose values, or products, were not changed since; of facts of an import of other things',
    ),
  changedSince: z.array(z.string()).describe(`Ids of the first ${maxListed} deals that were changed or deleted since`),
});

export const getImport = operation({
  id: 'getImport',
  summary: 'An import, and the deals that it created or changed, with their values before and after',
  method: 'get',
  path: '/v1/imports/:importId',
  access: 'admin',
  params: z.strictObject({ importId: pathIds.importId }),
  query: z.strictObject({
    limit: wholeNumber(1, 500).default(100).describe('Max number of deals on the page, 1 to 500'),
    after: dealId.optional().describe('Id of the last deal of the previous page; the first page by default'),
  }),
  response,
  failures: { import_not_found: 404 },
  example: {
    params: { importId: importExample.importId },
    query: { limit: '100' },
    response: {
      import: importExample,
      deals: [
        {
          dealId: 'D-1',
          before: null,
          after: { name: null, amount: 120000, currency: 'USD', stage: 'Won', closeDate: '2026-02-10', owner: 'ben' },
        },
      ],
      unchangedSince: 1,
      changedSince: [],
    },
  },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { importId }, query }, caller, { unitOfWork }): Promise<z.input<typeof response>> {
    return unitOfWork.read(caller, async (tx) => {
      const found = await findImport(tx, importId);
      const { facts } = factsOfImports[found.kind];
      if (facts !== null) {
        const unchanged = (await listReversals(tx, facts, importId)).filter(({ rejection }) => rejection === null);
        return { import: found, deals: [], unchangedSince: unchanged.length, changedSince: [] };
      }
      if (found.kind === 'lines') {
        const unchanged = await loadLinesBefore(tx, importId);
        const changedSince = await listChangedLinesSince(tx, importId, maxListed);
        return { import: found, deals: [], unchangedSince: unchanged.size, changedSince };
      }
      return {
        import: found,
        deals: await listImportedValues(tx, importId, query),
        unchangedSince: await countImportedVersions(tx, importId),
        changedSince: await listChangedSince(tx, importId, maxListed),
      };
    });
  },
});
