import { z } from 'zod';
import { fields, pathIds } from '../../api/resource-fields.js';
import { dealRecord } from '../../deals/deal.js';
import { findNamesOnStatement } from '../../deals/deal-names.js';
import { commissionEvent, type EventRow, toEventResponse } from '../../earnings/commission-event.js';
import { findEventOwner, findRuleOfEvent, findTracedEvent, type RuleOfEvent } from '../../earnings/commission-views.js';
import { maySee } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { Failure } from '../../kernel/failure.js';
import { isUuid } from '../../kernel/ids.js';
import { money } from '../../kernel/money-text.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { naturalKey } from '../../ledger/input/ledger-rows.js';
import { loadWorkspaceTerms } from '../../ledger/input/rep-terms.js';
import { eventPayable, findEventPayable } from '../../pay/payables/event-payable.js';
import { notYours } from '../../people/reps/rep.js';
import { workspaceToday } from '../../people/reps/rep-views.js';
import { type Transaction, UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { eventTrueUp, findTrueUpByEvent } from '../../statements/correction.js';
import { decodeEventTrace, findVisibleDeal } from '../deal-breakdown.js';
import { describeSteps, stepKinds } from '../step-words.js';

const params = z.strictObject({ eventId: pathIds.eventId });

const response = z.object({
  event: commissionEvent,
  deal: dealRecord
    .nullable()
    .describe('The deal now; null without one, and for a caller who may not see its present owner'),
  rule: z
    .object({
      planVersionId: fields.planVersionId,
      version: fields.version,
      effectiveStart: fields.effectiveStart.nullable(),
      effectiveEnd: fields.effectiveEnd.nullable(),
      attainmentPeriod: z.string().describe('How long attainment adds up: monthly, quarterly, semi_annual or annual'),
      tierBy: z.string().describe('What decides the tier: attainment, value or rank'),
      tierMode: z.string().describe('With tierBy attainment: full_rate, marginal or retroactive'),
      payoutMode: z.string().describe('rate, rate_times_attainment, flat_per_event, flat_per_tier or stepped_bonus'),
      cap: z.number().nullable().describe('Max amount of the rule in a period; null for none'),
      floor: z.number().nullable().describe('Min amount of a matching deal; null for none'),
      capMultiplier: z
        .number()
        .nullable()
        .describe('Max amount of one deal as a multiple of the variable target; null for none'),
      floorAttainment: z.number().nullable().describe('Attainment below which nothing is paid; null for none'),
      tiers: z
        .array(
          z
            .object({
              tierIndex: fields.tierIndex,
              name: z.string().nullable().describe('Name of the tier; null if it has none'),
              minThreshold: fields.minThreshold,
            })
            .describe('A tier of the rule'),
        )
        .describe('The tiers of the rule, without those of single reps'),
    })
    .nullable()
    .describe('The rule in the plan version that paid; null for amounts that a person entered'),
  steps: z
    .array(
      z
        .object({
          step: z
            .enum([...stepKinds, 'schedule', 'hold'])
            .describe(
              'formula: what a formula of the rule gave; share: the part of the deal; credit_note: what a credit note takes back other than by a rate; refund: what it takes back; schedule: what of it is released; hold: it is held',
            ),
          words: z.string().describe('What moved the amount, in words'),
        })
        .describe('A step'),
    )
    .describe('What moved the amount beside its rates and limits, which the trace has; empty for most events'),
  payable: eventPayable.optional(),
  trueUp: eventTrueUp.nullable().describe('What it pays, if it is a true-up or was carried forward; otherwise null'),
});
type ExplanationResponse = z.input<typeof response>;

function toRuleResponse(row: RuleOfEvent | null): ExplanationResponse['rule'] {
  if (row === null) return null;
  const { definition: rule, ...version } = row;
  return {
    ...version,
    attainmentPeriod: rule.attainmentPeriod,
    tierBy: rule.tierBy,
    tierMode: rule.tierMode,
    payoutMode: rule.payoutMode,
    cap: rule.cap ?? null,
    floor: rule.floor ?? null,
    capMultiplier: rule.capMultiplier ?? null,
    floorAttainment: rule.floorAttainment ?? null,
    tiers: rule.tiers
      .filter((tier) => tier.repId === undefined)
      .map(({ tierIndex, name, minThreshold }) => ({ tierIndex, name: name ?? null, minThreshold })),
  };
}

async function explainPayable(
  tx: Transaction,
  { repId, eventId, planId, ruleName, dealKey }: EventRow,
  clock: Clock,
): Promise<Pick<ExplanationResponse, 'payable'>> {
  const key = naturalKey({ planId: planId ?? '', ruleName: ruleName ?? '', dealKey: dealKey ?? '' });
  const payable = await findEventPayable(tx, { repId, eventId, key }, await workspaceToday(tx, clock));
  return payable === null ? {} : { payable };
}

/** How far the amount is released, and why not more of it. */
function describePayable(
  { payable }: Pick<ExplanationResponse, 'payable'>,
  currency: string,
): ExplanationResponse['steps'] {
  if (payable === undefined || payable.because === null) return [];
  const { because, released, waiting, waitsFor } = payable;
  const amounts = `released ${money(String(released), currency)}, waiting ${money(String(waiting), currency)}`;
  if (because === 'on_hold') return [{ step: 'hold', words: `On hold; ${amounts}` }];
  const expected = waitsFor[0]?.expectedOn ?? null;
  const reason = because === 'customer_not_paid' ? "waits for the customer's payment" : 'waits for a day';
  return [{ step: 'schedule', words: `${amounts}: ${reason}${expected === null ? '' : `, ${expected}`}` }];
}

/** The name of a deal of someone whom the caller may not see: those who have a part of it read it. */
async function nameOf(tx: Transaction, repId: string, dealId: string | null): Promise<string | null> {
  return dealId === null ? null : ((await findNamesOnStatement(tx, repId, [dealId])).get(dealId) ?? null);
}

export const explainCommission = operation({
  id: 'explainCommission',
  summary: 'One commission event with its trace, its deal and the rule that paid it',
  method: 'get',
  path: '/v1/commissions/events/:eventId',
  access: 'rep',
  params,
  response,
  failures: { event_not_found: 404 },
  example: { params: { eventId: sampleIds.eventId } },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ params: { eventId } }, caller, { unitOfWork, clock }): Promise<ExplanationResponse> {
    return unitOfWork.read(caller, async (tx) => {
      const repId = isUuid(eventId) ? await findEventOwner(tx, eventId) : null;
      const row = repId === null ? null : await findTracedEvent(tx, repId, eventId);
      if (row === null) throw new Failure('event_not_found', 'There is no such commission event in this workspace.');
      if (!maySee(caller, row.repId)) throw notYours();
      const { timeZone } = await loadWorkspaceTerms(tx);
      const trace = decodeEventTrace(row, timeZone);
      const event = toEventResponse(row, trace);
      const payable = await explainPayable(tx, row, clock);
      const deal = event.dealId === null ? null : await findVisibleDeal(tx, caller, event.dealId);
      return {
        event: deal === null ? { ...event, dealName: await nameOf(tx, row.repId, event.dealId) } : event,
        deal,
        rule: toRuleResponse(await findRuleOfEvent(tx, eventId)),
        steps: [...describeSteps(event, trace), ...describePayable(payable, event.currency)],
        ...payable,
        trueUp: await findTrueUpByEvent(tx, eventId, row),
      };
    });
  },
});
