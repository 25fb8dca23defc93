import { z } from 'zod';
import { pageFields } from '../../api/resource-fields.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { operation } from '../../platform/operations/operation.js';
import { offsetPage, requireUuid } from '../../platform/operations/schemas.js';
import { importPath, scheduledImportExample, unknownScheduledImport } from '../scheduled-import.js';
import { findScheduledImport, listFilesOf, scheduledImportFile } from '../scheduled-import-views.js';

export const listScheduledImportFiles = operation({
  id: 'listScheduledImportFiles',
  summary: 'The files of a scheduled import, the latest first, with what was imported from each',
  method: 'get',
  path: '/v1/scheduled-imports/:scheduledImportId/files',
  access: 'admin',
  params: z.strictObject(importPath),
  query: z.strictObject(offsetPage('files', 100, 20)),
  response: z.object({ files: z.array(scheduledImportFile).describe('The files of the page'), ...pageFields }),
  failures: {},
  example: {
    params: { scheduledImportId: scheduledImportExample.id },
    query: { limit: '20' },
    response: {
      files: [
        {
          fileId: '0b9d8a5e-6c1f-4d7a-8f52-9c3a1e0d7b44',
          name: 'bookings-2026-02-11.csv',
          bytes: 18_204,
          status: 'imported',
          at: '2026-02-11T06:30:02.000Z',
          error: null,
          importId: 'c5f8e0b7-2d4a-4e6f-9a1b-3c5d7e9f0a1b',
          result: {
            accepted: 211,
            unchanged: 14,
            rejected: 1,
            reasons: [{ row: 17, reason: 'close_date: "soon" is not a date in the format ISO' }],
            totals: [{ currency: 'USD', amount: 1_240_500 }],
            unknownOwners: [],
          },
          sample: { header: ['booking_id', 'amount'], rows: [['B-1', '1200.00']], count: 226 },
        },
      ],
      count: 1,
      limit: 20,
      offset: 0,
    },
  },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { scheduledImportId }, query }, caller, { unitOfWork }) {
    const id = requireUuid(scheduledImportId, 'not_found', unknownScheduledImport);
    return unitOfWork.read(caller, async (tx) => {
      await findScheduledImport(tx, id);
      return { ...(await listFilesOf(tx, id, query)), ...query };
    });
  },
});
