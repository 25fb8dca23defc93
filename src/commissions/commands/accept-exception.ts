import { sql } from 'kysely';
import { z } from 'zod';
import { dealId } from '../../deals/deal.js';
import { assertDealExists } from '../../deals/deal-views.js';
import { Failure, invalid } from '../../kernel/failure.js';
import { newId } from '../../kernel/ids.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { type Transaction, UnitOfWork } from '../../platform/database/unit-of-work.js';
import { operation } from '../../platform/operations/operation.js';
import { text, uuid } from '../../platform/operations/schemas.js';
import { exceptionReasons } from '../exceptions.js';

const body = z.strictObject({
  reason: z.enum(exceptionReasons).describe('The reason of the exception'),
  dealId: dealId.optional().describe('The deal, by its id in the CRM; absent for every deal of a rule'),
  planId: uuid.optional().describe('The plan of the rule (UUID); absent for one deal'),
  ruleName: text(200).optional().describe('Name of the rule, also in later versions of the plan; absent for one deal'),
  note: text(1000).describe('Why the deals are expected to pay nothing'),
});
type Body = z.infer<typeof body>;

function assertOneSubject({ dealId: deal, planId, ruleName }: Body): void {
  const isRule = planId !== undefined && ruleName !== undefined;
  const isDeal = deal !== undefined && planId === undefined && ruleName === undefined;
  if (isDeal || (isRule && deal === undefined)) return;
  throw invalid({ path: 'dealId', message: 'give either a dealId, or a planId and a ruleName' });
}

async function assertPlanExists(tx: Transaction, planId: string): Promise<void> {
  const { rows } = await sql`
    select from plans where workspace_id = ${tx.workspaceId} and plan_id = ${planId}`.execute(tx.db);
  if (rows.length === 0) throw new Failure('plan_not_found', 'There is no such plan in this workspace.');
}

/** Stores the acceptance in place of an earlier one of the same subject, which keeps its id. */
async function store(tx: Transaction, actor: string, { reason, dealId: deal, planId, ruleName, note }: Body) {
  const target =
    deal === undefined
      ? sql`(workspace_id, plan_id, rule_name, reason) where plan_id is not null`
      : sql`(workspace_id, deal_id, reason) where deal_id is not null`;
  const { rows } = await sql<{ acceptanceId: string }>`
    insert into accepted_exceptions (workspace_id, acceptance_id, reason, deal_id, plan_id, rule_name, note, accepted_by)
    values (${tx.workspaceId}, ${newId()}, ${reason}, ${deal ?? null}, ${planId ?? null}, ${ruleName ?? null}, ${note},
      ${actor})
    on conflict ${target} do update
      set note = excluded.note, accepted_by = excluded.accepted_by, accepted_at = excluded.accepted_at
    returning acceptance_id as "acceptanceId"`.execute(tx.db);
  return rows[0] as { acceptanceId: string };
}

export const acceptException = operation({
  id: 'acceptException',
  summary: 'Accept that a deal, or every deal of a rule, pays nothing for a reason: it is no longer listed',
  method: 'post',
  path: '/v1/commissions/exceptions/accepted',
  access: 'admin',
  body,
  response: z.object({ acceptanceId: z.string().describe('Id of the acceptance (UUID), with which it is taken back') }),
  status: 201,
  failures: { deal_not_found: 404, plan_not_found: 404 },
  example: {
    body: { reason: 'rule_condition_failed', dealId: sampleIds.dealId, note: 'Services pay nothing' },
    response: { acceptanceId: sampleIds.acceptanceId },
  },
  uses: { unitOfWork: UnitOfWork },
  async execute({ body: request }, caller, { unitOfWork }) {
    assertOneSubject(request);
    return unitOfWork.write(caller, async (tx) => {
      if (request.dealId !== undefined) await assertDealExists(tx, request.dealId);
      if (request.planId !== undefined) await assertPlanExists(tx, request.planId);
      return store(tx, caller.actor, request);
    });
  },
});
