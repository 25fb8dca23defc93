import { z } from 'zod';
import { fields, pathIds } from '../../api/resource-fields.js';
import { Failure } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { author, toAuthor } from '../../people/reps/author.js';
import { assertRepExists, findRepName } from '../../people/reps/rep-views.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { operation } from '../../platform/operations/operation.js';
import { period, text } from '../../platform/operations/schemas.js';
import { assertNotOwnStatement } from '../approvers.js';
import { statementNotFound } from '../statement.js';
import { upsertCheck } from '../statement-store.js';
import { findHead } from '../statement-views.js';

const params = z.strictObject({ repId: pathIds.repId });
const body = z.strictObject({
  period: period.describe('Period of the statement'),
  version: z.int().min(1).describe('The version that was checked; it must be the latest'),
  note: text(1000).optional().describe('Free text'),
});

export const checkStatement = operation({
  id: 'checkStatement',
  summary: 'Mark the latest version of a statement as checked',
  method: 'post',
  path: '/v1/statements/:repId/checks',
  access: 'manager',
  params,
  body,
  response: z.object({
    repId: fields.repId,
    period: fields.period,
    version: z.int().describe('The version that was checked'),
    note: z.string().nullable().describe('Free text; null for none'),
    checkedBy: author.describe('Who checked the version'),
    checkedAt: z.string().describe('When the version was checked, instant in ISO 8601'),
  }),
  status: 201,
  failures: { rep_not_found: 404, statement_not_found: 404, statement_changed: 409 },
  example: {
    params: { repId: sampleIds.repId },
    body: { period: '2026-02', version: 1, note: 'Compared with the contract' },
    response: {
      repId: sampleIds.repId,
      period: '2026-02',
      version: 1,
      note: 'Compared with the contract',
      checkedBy: { repId: sampleIds.managerId, name: 'Mia' },
      checkedAt: '2026-03-02T09:00:00.000Z',
    },
  },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { repId }, body: request }, caller, { unitOfWork }) {
    assertNotOwnStatement(caller, repId);
    return unitOfWork.write(caller, async (tx) => {
      await assertRepExists(tx, repId);
      const head = await findHead(tx, { repId, period: request.period });
      if (head === null) throw statementNotFound();
      if (head.version !== request.version)
        throw new Failure(
          'statement_changed',
          `Version ${request.version} is not the latest version. Check version ${head.version}.`,
          { version: head.version },
        );
      const check = { repId, ...request, note: request.note ?? null };
      const checkedAt = await upsertCheck(tx, caller, check);
      const name = caller.repId === null ? null : await findRepName(tx, caller.repId);
      return { ...check, checkedBy: toAuthor(caller.repId, name), checkedAt: checkedAt.toISOString() };
    });
  },
});
