import { z } from 'zod';
import { recordAuditEntry } from '../../../audit/audit-entry.js';
import { DealExplainer } from '../../../commissions/deal-explainer.js';
import { type ExplainDeal } from '../../../commissions/deal-outcomes.js';
import { dealId } from '../../../deals/deal.js';
import { findTracedEvent } from '../../../earnings/commission-views.js';
import { type Caller, maySee } from '../../../kernel/caller.js';
import { currentDay, isWithin } from '../../../kernel/day.js';
import { invalid } from '../../../kernel/failure.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { loadRange } from '../../../ledger/input/calendar.js';
import { loadWorkspaceTerms } from '../../../ledger/input/rep-terms.js';
import { loadPayPeriods } from '../../../pay/payables/payout-settings.js';
import { notYours, repIdQuery } from '../../../people/reps/rep.js';
import { type Transaction } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { effects } from '../../../platform/mcp/tool.js';
import { exactAmount } from '../../../platform/operations/money-digits.js';
import { operation, payingNoOne } from '../../../platform/operations/operation.js';
import { money, period, text, uuid } from '../../../platform/operations/schemas.js';
import { withdrawConsent } from '../../approvals/sign-step.js';
import { disputeTypes } from '../../dispute-types.js';
import { lockRep } from '../../rep-lane.js';
import { type Dispute, disputeDetail, disputeDetailExample } from '../dispute.js';
import { insertDispute } from '../dispute-store.js';
import { findDispute, listOpenAboutTheSame, readDisputeDetail } from '../dispute-views.js';
import { collectEvidence } from '../evidence.js';

const body = z.strictObject({
  repId: repIdQuery.optional().describe('Whose statement it is about, by id (UUID); default: the caller'),
  period: period.describe('Period of the statement. With payouts and `eventId`, that of the pay period of the event'),
  dealId: dealId.optional().describe('Deal that it is about, by its id in the CRM'),
  eventId: uuid.optional().describe('Commission event that it is about (UUID)'),
  type: z.enum(disputeTypes).describe('What is wrong'),
  expectedAmount: money.optional().describe('Amount that the rep expects, in the currency of the workspace'),
  description: text(4000).describe('What is wrong, for the person who decides'),
});
type Body = z.infer<typeof body>;

/** Under the rep's lane, so that no calculation or approval is halfway while the evidence is collected. */
async function open(
  tx: Transaction,
  caller: Caller,
  repId: string,
  request: Body,
  at: Date,
  explain: ExplainDeal,
): Promise<Opened> {
  await lockRep(tx, repId);
  const { type, description } = request;
  const statementPeriod = await findStatementPeriod(tx, repId, request);
  const workspace = await loadWorkspaceTerms(tx);
  const { evidence, dealId: deal } = await collectEvidence(
    tx,
    caller,
    { repId, period: statementPeriod },
    { type, dealId: request.dealId ?? null, eventId: request.eventId ?? null },
    workspace,
    currentDay(workspace, at),
    explain,
  );
  const { expectedAmount } = request;
  const disputeId = await insertDispute(
    tx,
    caller,
    {
      repId,
      period: statementPeriod,
      dealId: deal,
      eventId: request.eventId ?? null,
      type,
      expectedAmount:
        expectedAmount === undefined ? null : exactAmount(expectedAmount, workspace.currency, 'expectedAmount'),
      currency: workspace.currency,
      description,
      evidence,
    },
    at,
  );
  await withdrawConsent(tx, { repId, period: statementPeriod }, at);
  await recordAuditEntry(tx, caller, {
    trigger: 'dispute_opened',
    scope: 'statement',
    repId,
    period: statementPeriod,
    dealId: deal,
    details: { disputeId, type },
    at,
  });
  const alsoOpen = await listOpenAboutTheSame(tx, disputeId);
  const detail = await readDisputeDetail(tx, caller, (await findDispute(tx, caller, disputeId)) as Dispute);
  return { ...detail, ...(alsoOpen.length === 0 ? {} : { alsoOpen }) };
}

const response = disputeDetail.extend({
  alsoOpen: z
    .array(z.string())
    .optional()
    .describe(
      'Ids of earlier disputes of the rep about the same deal or event of the period that wait for a decision (UUID), at most 10; absent for none',
    ),
});
type Opened = z.input<typeof response>;

/**
 * The period whose statement is meant. With payouts only pay periods have statements, so the quarter of an event stands
 * for the pay period on whose days the event was earned.
 */
async function findStatementPeriod(tx: Transaction, repId: string, { period, eventId }: Body): Promise<string> {
  const payPeriods = eventId === undefined ? null : await loadPayPeriods(tx);
  if (payPeriods === null || eventId === undefined || payPeriods.includes(period)) return period;
  const event = await findTracedEvent(tx, repId, eventId);
  if (event === null || !isWithin(event.earnedOn, await loadRange(tx, period))) return period;
  return payPeriods.findOn(event.earnedOn)?.period ?? period;
}

export const openDispute = operation({
  id: 'openDispute',
  summary:
    'Object to what a statement says. Reps for themselves, managers and admins for everyone they see. What the service has calculated is stored with the dispute',
  method: 'post',
  path: '/v1/disputes',
  access: 'rep',
  body,
  response,
  status: 201,
  failures: { plan_too_complex: 400, rep_not_found: 404, deal_not_found: 404, event_not_found: 404 },
  tool: {
    name: 'open_dispute',
    title: 'Open dispute',
    hints: effects.adds,
    description: {
      purpose: 'Object to a statement; the present calculation is stored with it.',
      useWhen: 'a person misses a deal or finds an amount wrong, and get_commissions does not explain it.',
      notFor: 'questions.',
      changes: 'by default the statement cannot be approved until a person decides.',
    },
    arguments: {
      repId: 'Whose statement (UUID)',
      period: 'Period of the statement',
      dealId: "The CRM's id",
      eventId: { always: undefined },
      type: 'What is wrong',
      expectedAmount: { always: undefined },
      description: 'For who decides',
    },
    summary: ({ disputeId, alsoOpen = [] }) =>
      `Dispute ${disputeId} is open.${alsoOpen.length === 0 ? '' : ` So are earlier ones about the same: ${alsoOpen.join(', ')}. Ask the person which to withdraw.`}`,
  },
  subject: payingNoOne,
  example: {
    body: {
      repId: sampleIds.repId,
      period: '2026-02',
      dealId: sampleIds.dealId,
      type: 'wrong_amount',
      description: disputeDetailExample.description,
    },
    response: disputeDetailExample,
  },
  uses: { explainer: DealExplainer, clock: CLOCK },
  async execute({ body: request }, caller, { explainer, clock }): Promise<Opened> {
    const repId = request.repId ?? caller.repId;
    if (repId === null) throw invalid({ path: 'repId', message: 'is required with an API key' });
    if (!maySee(caller, repId)) throw notYours();
    return explainer.run(caller, { lock: 'shared', access: 'write' }, (tx, explain) =>
      open(tx, caller, repId, request, clock.now(), explain),
    );
  },
});
