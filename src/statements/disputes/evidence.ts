import { decodeEventTrace } from '../../commissions/deal-breakdown.js';
import { type DealOutcome, type ExplainDeal, loadOutcomes } from '../../commissions/deal-outcomes.js';
import { loadLines, toLineRecords } from '../../deals/deal-credit-views.js';
import { findDeal } from '../../deals/deal-views.js';
import { toEventResponse } from '../../earnings/commission-event.js';
import { findTracedEvent, listEventsOfDeal, type TracedEventRow } from '../../earnings/commission-views.js';
import { type CreditLine } from '../../engine/credit-lines.js';
import { type Caller, visibleReps } from '../../kernel/caller.js';
import { type Day, isWithin } from '../../kernel/day.js';
import { Failure, invalid } from '../../kernel/failure.js';
import { loadRange } from '../../ledger/input/calendar.js';
import { type WorkspaceTerms } from '../../ledger/input/rep-terms.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { listCorrections, toCorrectionResponse } from '../correction.js';
import { listDealDifferences, toDifferenceResponse } from '../discrepancies/deal-differences.js';
import { type DisputeType } from '../dispute-types.js';
import { type StatementKey } from '../statement.js';
import { readStatementTotals } from '../statement-views.js';
import { type Evidence } from './dispute.js';

/** What a dispute is about, besides the statement. */
export interface Subject {
  readonly type: DisputeType;
  readonly dealId: string | null;
  readonly eventId: string | null;
}

/** The claim may be that a deal is missing, or that it belongs to the rep: then the service may not know it as the rep's. */
const claimsDeal: ReadonlySet<DisputeType> = new Set(['missing_deal', 'wrong_credit']);

/** These object to what the statement pays on a deal. Other types may say that the close date or the period is wrong. */
const disputesLine: ReadonlySet<DisputeType> = new Set(['wrong_amount', 'wrong_plan']);

/**
 * What the ledger and the rules of the rep say about the subject now. `dealId` is the deal of the dispute: the given one,
 * or that of the event.
 */
export async function collectEvidence(
  tx: Transaction,
  caller: Caller,
  key: StatementKey,
  subject: Subject,
  workspace: WorkspaceTerms,
  today: Day,
  explain: ExplainDeal,
): Promise<{ readonly evidence: Evidence; readonly dealId: string | null }> {
  const event = subject.eventId === null ? null : await requireEvent(tx, key, subject.eventId);
  const dealId = resolveDealId(subject, event);
  const { netPayout, ...statement } = await readStatementTotals(tx, key, workspace.currency);
  const ofDeal = dealId === null ? null : await dealEvidence(tx, key, dealId, workspace, today, explain);
  if (ofDeal !== null) assertMayDispute(ofDeal, subject.type, caller);
  if (ofDeal !== null && disputesLine.has(subject.type)) await assertDealInPeriod(tx, ofDeal, key);
  const events = event === null ? (ofDeal?.events ?? []) : [event];
  return {
    dealId,
    evidence: {
      statement: { ...statement, netPayout: Number(netPayout) },
      deal: ofDeal?.deal ?? null,
      events: events.map((row) => toEvent(row, workspace.timeZone)),
      outcomes: (ofDeal?.outcomes ?? []).map(({ repId: _, ...outcome }) => outcome),
      ...(await lateAmounts(tx, key, dealId)),
      ...(ofDeal === null || ofDeal.lines === null ? {} : { credits: await toLineRecords(tx, ofDeal.lines) }),
    },
  };
}

/** What came after an approval, for the rep only. */
async function lateAmounts(tx: Transaction, { repId }: StatementKey, dealId: string | null) {
  const selection = { dealIds: dealId === null ? [] : [dealId], repIds: [repId] };
  const corrections = (await listCorrections(tx, selection)).map(toCorrectionResponse);
  const differences = (await listDealDifferences(tx, selection)).map(toDifferenceResponse);
  return {
    corrections: corrections.map(({ repId: _, repName: __, ...same }) => same),
    openDifferences: differences.map(({ repId: _, repName: __, ...same }) => same),
  };
}

function resolveDealId({ dealId }: Subject, event: TracedEventRow | null): string | null {
  if (event === null) return dealId;
  const ofEvent = event.phase === 'periodic' ? null : event.dealKey;
  if (dealId === null || dealId === ofEvent) return ofEvent;
  throw invalid({ path: 'dealId', message: 'is not the deal of the event; leave it out' });
}

async function requireEvent(
  tx: Transaction,
  { repId, period }: StatementKey,
  eventId: string,
): Promise<TracedEventRow> {
  const event = await findTracedEvent(tx, repId, eventId);
  if (event === null) throw new Failure('event_not_found', 'This rep has no commission event with this id.');
  if (isWithin(event.earnedOn, await loadRange(tx, period))) return event;
  throw invalid({ path: 'eventId', message: `was earned on ${event.earnedOn}, which is not in ${period}` });
}

/** The close date of a deal that the rep may not see must not become known, so it is not compared. */
async function assertDealInPeriod(
  tx: Transaction,
  { deal, closeDate, events }: DealEvidence,
  { period }: StatementKey,
): Promise<void> {
  if (deal === 'unknown' || deal === 'not_owned') return;
  const range = await loadRange(tx, period);
  const days = [...events.map(({ earnedOn }) => earnedOn), ...(closeDate === null ? [] : [closeDate])];
  if (days.some((day) => isWithin(day, range))) return;
  const closes = closeDate === null ? 'has no close date' : `closes on ${closeDate}`;
  throw invalid({
    path: 'dealId',
    message: `${closes}, and ${period} has no amount for it. Name another period, or the type missing_deal if the deal belongs in ${period}`,
  });
}

interface DealEvidence {
  readonly deal: NonNullable<Evidence['deal']>;
  readonly closeDate: Day | null;
  readonly events: readonly TracedEventRow[];
  readonly outcomes: readonly DealOutcome[];
  /** Null if the deal is its owner's, or not visible to the rep. */
  readonly lines: readonly CreditLine[] | null;
}

async function dealEvidence(
  tx: Transaction,
  { repId }: StatementKey,
  dealId: string,
  workspace: WorkspaceTerms,
  today: Day,
  explain: ExplainDeal,
): Promise<DealEvidence> {
  const deal = await findDeal(tx, dealId);
  if (deal === null) return { deal: 'unknown', closeDate: null, events: [], outcomes: [], lines: null };
  const events = await listEventsOfDeal(tx, dealId, [repId]);
  const outcomes = await loadOutcomes(tx, repId, deal, workspace, today, explain);
  const { closeDate } = deal;
  const lines = await loadLines(tx, dealId);
  if (deal.repId === repId || lines?.some((line) => line.repId === repId) === true)
    return { deal: 'owned', closeDate, events, outcomes, lines };
  // An earlier owner has events, which show what the deal was then, and no rule that reads the deal now.
  const isOfTeam = outcomes.some(({ ruleId }) => ruleId !== null);
  return isOfTeam
    ? { deal: 'team', closeDate, events, outcomes, lines }
    : { deal: 'not_owned', closeDate: null, events, outcomes: [], lines: null };
}

/**
 * Only a claim may name a deal that does not exist or, for a caller who sees only some reps, a deal of others without an
 * event of the rep: both have the same response, which reveals no ids of deals.
 */
function assertMayDispute({ deal, events }: DealEvidence, type: DisputeType, caller: Caller): void {
  if (claimsDeal.has(type)) return;
  const isHidden = deal === 'not_owned' && events.length === 0 && visibleReps(caller) !== null;
  if (deal !== 'unknown' && !isHidden) return;
  throw new Failure(
    'deal_not_found',
    'There is no such deal. If a deal is missing or credited to someone else, open a dispute of type missing_deal or wrong_credit.',
  );
}

function toEvent(row: TracedEventRow, timeZone: string): Evidence['events'][number] {
  const {
    repId: _id,
    repName: _rep,
    dealName: _deal,
    ...event
  } = toEventResponse(row, decodeEventTrace(row, timeZone));
  return event;
}
