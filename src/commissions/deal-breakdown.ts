import { z } from 'zod';
import { type DealRecord, dealRecord } from '../deals/deal.js';
import { findDeal } from '../deals/deal-views.js';
import { calculateRep } from '../engine/calculate.js';
import { type Outcome } from '../engine/model.js';
import { decodeTrace, type Reason, reasons, type Trace } from '../engine/trace.js';
import { type Caller, visibleReps } from '../kernel/caller.js';
import { type Day } from '../kernel/day.js';
import { Decimal, sum } from '../kernel/decimal.js';
import { Failure } from '../kernel/failure.js';
import { groupBy } from '../kernel/group-by.js';
import { calculationWindow } from '../ledger/load-window.js';
import { loadRepInput } from '../ledger/rep-input.js';
import { loadRepTerms, type RepTerms, type WorkspaceTerms } from '../ledger/rep-terms.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { notYours, readsAsWidget } from '../reps/rep.js';
import { commissionEvent, conditionTraces, eventAnswer } from './commission-event.js';
import { listEventsOfDeal, type TracedEventRow } from './commission-views.js';

/** What a rule paid on the deal, or why it paid nothing. */
const dealOutcome = z.object({
  repId: z.string().nullable(),
  planId: z.string().nullable(),
  planVersionId: z.string().nullable(),
  ruleId: z.string().nullable(),
  ruleName: z.string().nullable(),
  paid: z.boolean(),
  amount: z.number(),
  reason: z.enum(reasons).nullable(),
  conditions: conditionTraces,
  missing: z.array(z.string()),
});
type DealOutcome = z.input<typeof dealOutcome>;

export const dealBreakdown = z.object({
  deal: dealRecord,
  currency: z.string(),
  events: z.array(commissionEvent),
  total: z.number(),
  otherCurrencies: z.array(z.object({ currency: z.string(), total: z.number() })),
  outcomes: z.array(dealOutcome),
});

/**
 * The events of the deal with their traces, and why other rules paid nothing. A caller sees only the events of reps
 * they may see.
 */
export async function readDealBreakdown(
  trx: Work,
  caller: Caller,
  dealId: string,
  workspace: WorkspaceTerms,
  today: Day,
): Promise<z.input<typeof dealBreakdown>> {
  const { workspaceId } = caller;
  const repIds = caller.accessLevel === 'connection' ? null : visibleReps(caller);
  const deal = await findDeal(trx, workspaceId, dealId);
  if (deal === null) throw new Failure('deal_not_found', 'There is no such deal in this workspace.');
  const found = await listEventsOfDeal(trx, workspaceId, dealId, repIds);
  // Adjustments and clawbacks are confidential and not shown in a widget.
  const rows = readsAsWidget(caller) ? found.filter((row) => row.kind === 'commission_earned') : found;
  const seesOwner = repIds === null || (deal.repId !== null && repIds.includes(deal.repId));
  if (!seesOwner && rows.length === 0) throw notYours();
  const currency = deal.currency ?? workspace.currency;
  return {
    deal,
    currency,
    events: rows.map((row) => eventAnswer(row, traceOf(row, workspace.timeZone))),
    ...totalsOf(rows, currency),
    outcomes: seesOwner ? await outcomesOf(trx, workspaceId, deal, workspace, today) : [],
  };
}

function traceOf(row: TracedEventRow, timeZone: string): Trace | null {
  if (row.trace === null) return null;
  return decodeTrace(row.trace, {
    conditions: [...(row.dealConditions ?? []), ...(row.rule?.conditions ?? [])],
    day: row.earnedOn,
    timeZone,
    tierName: row.tierName,
    amount: Number(row.amount),
  });
}

function totalsOf(rows: readonly TracedEventRow[], currency: string) {
  const earned = groupBy(
    rows.filter((row) => row.status === 'earned'),
    (row) => row.currency,
  );
  const total = (of: string) => sum((earned.get(of) ?? []).map((row) => Decimal.of(row.amount))).toNumber();
  const others = [...earned.keys()].filter((other) => other !== currency).sort();
  return { total: total(currency), otherCurrencies: others.map((other) => ({ currency: other, total: total(other) })) };
}

/** Runs the engine for the owner over the calculation window of the deal; writes nothing. */
async function outcomesOf(
  trx: Work,
  workspaceId: string,
  deal: DealRecord,
  workspace: WorkspaceTerms,
  today: Day,
): Promise<DealOutcome[]> {
  const { repId, closeDate } = deal;
  if (deal.deleted_at !== null) return [notCalculated(repId, 'deal_deleted')];
  if (repId === null) return [notCalculated(repId, 'owner_unresolved')];
  if (closeDate === null) return [notCalculated(repId, 'no_close_date')];
  const terms = await loadRepTerms(trx, workspaceId, repId, workspace);
  const window = calculationWindow(terms, { from: closeDate, to: closeDate });
  const { outcomes } = calculateRep(await loadRepInput(trx, terms, window, today, { explain: true }));
  const periodic = periodicRules(terms);
  return outcomes
    .filter((outcome) => outcome.dealKey === deal.deal_id && !periodic.has(outcome.ruleId ?? ''))
    .map((outcome) => outcomeAnswer(repId, outcome));
}

/** An outcome of a periodic rule has its period in place of a deal id, and a deal id may look like a period. */
function periodicRules(terms: RepTerms): ReadonlySet<string> {
  const rules = terms.versions.flatMap((version) => version.rules);
  return new Set(rules.filter((rule) => rule.executionPhase === 'periodic').map((rule) => rule.id));
}

function outcomeAnswer(repId: string, { dealKey: _, amount, conditions, missing, ...outcome }: Outcome): DealOutcome {
  return { repId, ...outcome, amount: amount.toNumber(), conditions: [...conditions], missing: [...missing] };
}

function notCalculated(repId: string | null, reason: Reason): DealOutcome {
  return {
    repId,
    planId: null,
    planVersionId: null,
    ruleId: null,
    ruleName: null,
    paid: false,
    amount: 0,
    reason,
    conditions: [],
    missing: [],
  };
}
