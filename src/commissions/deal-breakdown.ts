import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { type DealRecord, dealRecord } from '../deals/deal.js';
import { loadLines, toLineRecords } from '../deals/deal-credit-views.js';
import { creditLine } from '../deals/deal-credits.js';
import { type DealHead, findDealHeads } from '../deals/deal-heads.js';
import { findDeal } from '../deals/deal-views.js';
import { describedRefund, describeRefunds } from '../deals/refunds/refund-response.js';
import { commissionEvent, toEventResponse } from '../earnings/commission-event.js';
import { listEventsOfDeal, type TracedEventRow } from '../earnings/commission-views.js';
import { type CreditLine } from '../engine/credit-lines.js';
import { decodeTrace, type Trace } from '../engine/trace.js';
import { type Caller, visibleReps } from '../kernel/caller.js';
import { type Day } from '../kernel/day.js';
import { Failure } from '../kernel/failure.js';
import { sumsByCurrency } from '../kernel/sums-by-currency.js';
import { type WorkspaceTerms } from '../ledger/input/rep-terms.js';
import { notYours, readsAsWidget } from '../people/reps/rep.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type CorrectionRow, correction, listCorrections, toCorrectionResponse } from '../statements/correction.js';
import {
  dealDifference,
  listDealDifferences,
  toDifferenceResponse,
} from '../statements/discrepancies/deal-differences.js';
import { type DealOutcome, dealOutcome, type ExplainDeal, loadOutcomes } from './deal-outcomes.js';

export const dealBreakdown = z
  .object({
    deal: dealRecord
      .nullable()
      .describe(
        'The present state of the deal; null if the caller may not see its present owner. Such a caller sees only their own events of the deal',
      ),
    currency: z.string().describe('Currency of `total`: that of the workspace, ISO 4217 code'),
    events: z.array(commissionEvent).describe('The commission events of the deal'),
    corrections: z
      .array(correction)
      .describe('What true-ups and carried-forward differences paid for the deal, oldest first'),
    openDifferences: z
      .array(dealDifference)
      .describe('What approved periods owe for the deal and have not paid, oldest first'),
    total: z.number().describe('Sum of the events and corrections in `currency`'),
    otherCurrencies: z
      .array(
        z
          .object({
            currency: fields.currency,
            total: z.number().describe('Sum of the events and corrections in this currency'),
          })
          .describe('Sum of one currency'),
      )
      .describe('Sums of events and corrections in other currencies'),
    outcomes: z.array(dealOutcome).describe('What every rule decided about the deal'),
    refunds: z
      .array(describedRefund)
      .optional()
      .describe(
        'The refunds of the deal, in the order in which they count; absent for none. Without the waivers of people whom the caller may not see',
      ),
    credits: z
      .array(creditLine)
      .optional()
      .describe('Who is credited on the deal; absent if the whole deal is its owner’s, or not visible'),
  })
  .describe('One deal with what every rule paid for it and why');

/**
 * The events of the deal with their traces, and why other rules paid nothing. A caller sees only the events of reps
 * they may see, and the deal only while one of these reps owns it or has a line on it: an earlier owner sees what they
 * earned on it then. A deal of others and one that does not exist have the same response.
 */
export async function readDealBreakdown(
  tx: Transaction,
  caller: Caller,
  dealId: string,
  workspace: WorkspaceTerms,
  today: Day,
  explain: ExplainDeal,
): Promise<z.input<typeof dealBreakdown>> {
  const { head, lines, repIds, rows, corrections } = await visibleEvents(tx, caller, dealId);
  const deal = head === null ? null : await findDeal(tx, dealId);
  if (deal === null && repIds === null) throw dealNotFound();
  if (deal === null && rows.length === 0 && corrections.length === 0) throw notYours();
  const differences = readsAsWidget(caller) ? [] : await listDealDifferences(tx, { dealIds: [dealId], repIds });
  const refunds = deal === null || readsAsWidget(caller) ? [] : await describeRefunds(tx, dealId);
  return {
    deal,
    currency: workspace.currency,
    events: rows.map((row) => toEventResponse(row, decodeEventTrace(row, workspace.timeZone))),
    corrections: corrections.map(toCorrectionResponse),
    openDifferences: differences.map(toDifferenceResponse),
    ...computeTotals(rows, corrections, workspace.currency),
    outcomes: await outcomesOf({ deal, lines, repIds }, (repId, explained) =>
      loadOutcomes(tx, repId, explained, workspace, today, explain),
    ),
    ...(refunds.length === 0 ? {} : { refunds: refunds.map((one) => withVisibleWaivers(one, repIds)) }),
    ...(lines === null ? {} : { credits: await toLineRecords(tx, lines) }),
  };
}

function withVisibleWaivers<Refund extends z.output<typeof describedRefund>>(
  refund: Refund,
  repIds: readonly string[] | null,
): Refund {
  const waivers = refund.waivers.filter(({ repId }) => repIds === null || repId === null || repIds.includes(repId));
  return { ...refund, waivers };
}

/** The outcomes of the owner and of everyone on a line, as far as the caller may see them. */
async function outcomesOf(
  { deal, lines, repIds }: Pick<VisibleEvents, 'lines' | 'repIds'> & { readonly deal: DealRecord | null },
  load: (repId: string | null, deal: DealRecord) => Promise<DealOutcome[]>,
): Promise<DealOutcome[]> {
  if (deal === null) return [];
  if (lines === null) return load(deal.repId, deal);
  const people = new Set([deal.repId, ...lines.map(({ repId }) => repId)]);
  const outcomes: DealOutcome[] = [];
  for (const repId of people)
    if (repId !== null && (repIds === null || repIds.includes(repId))) outcomes.push(...(await load(repId, deal)));
  return outcomes;
}

/** The deal; null if there is none, or if the caller may see neither its owner nor anyone with a line on it. */
export async function findVisibleDeal(tx: Transaction, caller: Caller, dealId: string): Promise<DealRecord | null> {
  const { head } = await findVisibleHead(tx, dealId, visibleEventReps(caller));
  return head === null ? null : findDeal(tx, dealId);
}

/** The deal with its lines, see {@link findVisibleDeal}; in a transaction with `asOf`, as they were at that instant. */
async function findVisibleHead(
  tx: Transaction,
  dealId: string,
  repIds: readonly string[] | null,
): Promise<Pick<VisibleEvents, 'head' | 'lines'>> {
  const head = (await findDealHeads(tx, [dealId])).get(dealId);
  if (head === undefined) return { head: null, lines: null };
  const lines = await loadLines(tx, dealId);
  const people = [head.ownerId, ...(lines ?? []).map(({ repId }) => repId)];
  const isVisible = repIds === null || people.some((repId) => repId !== null && repIds.includes(repId));
  return isVisible ? { head, lines } : { head: null, lines: null };
}

/** The reps whose events the caller sees; null for everyone, as in a widget. */
function visibleEventReps(caller: Caller): readonly string[] | null {
  return readsAsWidget(caller) ? null : visibleReps(caller);
}

interface VisibleEvents {
  /** Null if there is no such deal, or the caller may not see it. */
  readonly head: DealHead | null;
  /** The lines of the deal; null if it is its owner's, or not visible. */
  readonly lines: readonly CreditLine[] | null;
  /** The reps whose events these are; null for everyone. */
  readonly repIds: readonly string[] | null;
  readonly rows: readonly TracedEventRow[];
  readonly corrections: readonly CorrectionRow[];
}

/** The events of the deal that the caller may see, with its name, and the deal, see {@link findVisibleHead}. */
export async function visibleEvents(tx: Transaction, caller: Caller, dealId: string): Promise<VisibleEvents> {
  const repIds = visibleEventReps(caller);
  const { head, lines } = await findVisibleHead(tx, dealId, repIds);
  const found = await listEventsOfDeal(tx, dealId, repIds);
  // Amounts that people entered or corrected are confidential and not shown in a widget.
  const isWidget = readsAsWidget(caller);
  const rows = isWidget ? found.filter((row) => row.kind === 'commission_earned') : found;
  const corrections = isWidget ? [] : await listCorrections(tx, { dealIds: [dealId], repIds });
  const named = rows.map((row) => ({ ...row, dealName: head?.dealName ?? null }));
  return { head, lines, repIds, rows: named, corrections };
}

export function dealNotFound(): Failure {
  return new Failure('deal_not_found', 'There is no such deal in this workspace.');
}

export function decodeEventTrace(row: TracedEventRow, timeZone: string): Trace | null {
  if (row.trace === null) return null;
  return decodeTrace(row.trace, {
    conditions: [...(row.dealConditions ?? []), ...(row.rule?.conditions ?? [])],
    lineConditions: row.rule?.lines?.conditions,
    day: row.earnedOn,
    timeZone,
    tierName: row.tierName,
    tiers: (row.rule?.tiers ?? []).filter(({ repId }) => repId === undefined),
    amount: Number(row.amount),
  });
}

export function computeTotals(
  rows: readonly TracedEventRow[],
  corrections: readonly CorrectionRow[],
  currency: string,
) {
  const earned = rows.filter((row) => row.status === 'earned');
  const sums = sumsByCurrency([
    ...earned,
    ...corrections.map(({ currency: eventCurrency, delta }) => ({ currency: eventCurrency, amount: delta })),
  ]);
  const total = (code: string) => sums.get(code)?.toNumber() ?? 0;
  const others = [...sums.keys()].filter((other) => other !== currency).sort();
  return { total: total(currency), otherCurrencies: others.map((other) => ({ currency: other, total: total(other) })) };
}
