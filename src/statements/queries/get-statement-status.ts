import { z } from 'zod';
import { fields, pathIds } from '../../api/resource-fields.js';
import { maySee, seesTeam } from '../../kernel/caller.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { notYours } from '../../people/reps/rep.js';
import { assertRepExists } from '../../people/reps/rep-views.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { optionalPeriod } from '../../platform/operations/schemas.js';
import { presentApproval } from '../approvals/approval-response.js';
import { readState } from '../staleness.js';
import { approvedBy, checks, statement, toApproval } from '../statement.js';
import { listChecks, readStatement, resolvePeriod } from '../statement-views.js';

const params = z.strictObject({ repId: pathIds.repId });
const query = z.strictObject({ period: optionalPeriod });

export const getStatementStatus = operation({
  id: 'getStatementStatus',
  summary: "Get whether a rep's statement has been generated and approved",
  method: 'get',
  path: '/v1/statements/:repId/status',
  access: 'rep',
  payroll: true,
  params,
  query,
  response: z.object({
    repId: fields.repId,
    period: fields.period,
    status: z.enum(['draft', 'approved']).describe('Status of the latest version; draft if none was generated'),
    generated: z.boolean().describe('Whether a version was generated'),
    version: z.int().describe('Version number; 0 if no version was generated'),
    approvedAt: z
      .string()
      .optional()
      .describe('When the statement was approved, instant in ISO 8601; absent for a draft'),
    approvedBy: approvedBy.optional(),
    ...statement.pick({ stale: true, liveNetPayout: true, livePayable: true, pending: true }).shape,
    approval: statement.shape.approval,
    checks: checks.optional().describe('Checks of the statement, the latest version first; absent for reps'),
  }),
  failures: { rep_not_found: 404 },
  example: {
    params: { repId: sampleIds.repId },
    query: { period: '2026-02' },
    response: { repId: sampleIds.repId, period: '2026-02', status: 'draft', generated: true, version: 1 },
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ params: { repId }, query: request }, caller, { unitOfWork, clock }) {
    if (!maySee(caller, repId)) throw notYours();
    return unitOfWork.read(caller, async (tx) => {
      await assertRepExists(tx, repId);
      const { period: requestedPeriod, currency } = await resolvePeriod(tx, request.period, clock);
      const key = { repId, period: requestedPeriod };
      const { head, content } = await readStatement(tx, key, currency);
      const state = await readState(tx, key, head, content, currency);
      const [status, version] = [head?.status ?? ('draft' as const), head?.version ?? 0];
      const checked = seesTeam(caller)
        ? { checks: [...((await listChecks(tx, requestedPeriod, [repId])).get(repId) ?? [])] }
        : {};
      return {
        repId,
        period: requestedPeriod,
        status,
        generated: head !== null,
        version,
        ...toApproval(head, caller),
        ...state,
        ...checked,
        ...(await presentApproval(tx, { repId, head, content }, caller, clock.now())),
      };
    });
  },
});
