import { z } from 'zod';
import { pathIds } from '../../../api/resource-fields.js';
import { maySee } from '../../../kernel/caller.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { asOfQuery } from '../../../platform/operations/schemas.js';
import { findEmploymentAsOf } from '../employment-views.js';
import { notYours, readsAsWidget, rep, repExample, repNotFound } from '../rep.js';
import { findLinkedRep, workspaceToday } from '../rep-views.js';

const params = z.strictObject({ repId: pathIds.repId });

const query = z.strictObject({
  asOf: asOfQuery.describe(
    'hireDate and endDate as they were at this earlier instant, ISO 8601; the other fields have no history',
  ),
});

const linkage = z
  .object({
    provider: z.string().nullable().describe('CRM that the rep was imported from; null for none'),
    crmId: z.string().nullable().describe('Id of the rep in the CRM; null for none'),
    syncedAt: z.string().nullable().describe('Last import from the CRM, instant in ISO 8601; null for none'),
    lastDealOwnedAt: z
      .string()
      .nullable()
      .describe('When a deal of the rep was last stored, instant in ISO 8601; null for none'),
  })
  .describe('How the rep is linked to the CRM');

const linkageExample = { provider: null, crmId: 'ben', syncedAt: null, lastDealOwnedAt: '2026-02-10' };

export const getRep = operation({
  id: 'getRep',
  summary: 'One rep, with the link to the CRM',
  method: 'get',
  path: '/v1/reps/:repId',
  access: 'connection',
  payroll: true,
  params,
  query,
  response: z.object({ ...rep.shape, ...linkage.shape, linkage }),
  failures: { rep_not_found: 400 },
  example: {
    params: { repId: sampleIds.repId },
    response: { ...repExample, ...linkageExample, linkage: linkageExample },
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ params: { repId }, query: { asOf } }, caller, { unitOfWork, clock }) {
    if (!readsAsWidget(caller) && !maySee(caller, repId.toLowerCase())) throw notYours();
    const found = await unitOfWork.read(caller, async (tx) =>
      findLinkedRep(tx, await workspaceToday(tx, clock), repId),
    );
    if (found === null) throw repNotFound();
    const employment =
      asOf === undefined
        ? {}
        : await unitOfWork.run(caller, { lock: 'none', access: 'read', asOf }, (tx) =>
            findEmploymentAsOf(tx, found.id),
          );
    const { provider, crmId, syncedAt, lastDealOwnedAt, fields, ...person } = found;
    const linked = {
      provider,
      crmId,
      syncedAt: syncedAt?.toISOString() ?? null,
      lastDealOwnedAt: lastDealOwnedAt?.toISOString() ?? null,
    };
    const payrollId = readsAsWidget(caller) ? null : person.payrollId;
    const values = readsAsWidget(caller) || fields === undefined ? {} : { fields };
    return { ...person, ...values, ...employment, payrollId, ...linked, linkage: linked };
  },
});
