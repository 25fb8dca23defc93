import { sql } from 'kysely';
import { type AffectedReps, affectedReps, merge } from '../../deals/affected-reps.js';
import { type DealTerms, readContent } from '../../deals/deal.js';
import { type IncomingDeal } from '../../deals/incoming-deal.js';
import { loadDealTerms } from '../../deals/load-deal-terms.js';
import { recordDeals } from '../../deals/record-deals.js';
import { removeDeals } from '../../deals/remove-deals.js';
import { type Clock } from '../../kernel/clock.js';
import { type Day } from '../../kernel/day.js';
import { rejectAny } from '../../kernel/failure.js';
import { type PeriodCalendar } from '../../kernel/period-calendar.js';
import { loadCalendar } from '../../ledger/input/calendar.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { repNotFound } from '../reps/rep.js';
import { unknownReps } from '../reps/rep-views.js';
import { findFieldIssue, scoreDealId, scoreName } from './score.js';

/** A score to store; null removes it. */
export interface EnteredScore {
  readonly repId: string;
  readonly period: string;
  readonly score: number | null;
}

interface WrittenScores {
  readonly changed: number;
  readonly unchanged: number;
  readonly removed: number;
  /** Number of deals that were written. */
  readonly accepted: number;
  readonly affected: AffectedReps;
}

/**
 * Stores each score as a deal of the person, whose id says which score it is, so that a second score of the same person
 * and period replaces the first. A value that someone has corrected in this deal is replaced too.
 */
export async function writeScores(
  tx: Transaction,
  field: string,
  entered: readonly EnteredScore[],
  clock: Clock,
): Promise<WrittenScores> {
  const terms = await loadDealTerms(tx);
  rejectAny([findFieldIssue(field, terms) ?? []].flat());
  const repIds = [...new Set(entered.map(({ repId }) => repId))];
  const unknown = await unknownReps(tx, repIds);
  if (unknown.length > 0) throw repNotFound(unknown);
  const days = { calendar: await loadCalendar(tx), ends: await findLastDays(tx, repIds) };
  const deals = entered.flatMap((one, index): IncomingDeal[] =>
    one.score === null ? [] : [toDeal(field, { ...one, score: one.score }, lastDay(one, index, days), terms)],
  );
  const removedIds = entered.flatMap(({ repId, period, score }) =>
    score === null ? [scoreDealId(field, repId, period)] : [],
  );
  const { outcomes, changes } = await recordDeals(tx, deals);
  const affected = await affectedReps(tx, changes);
  const removed = await removeDeals(tx, removedIds, clock);
  const unchanged = outcomes.filter((outcome) => outcome === 'unchanged').length;
  const changed = outcomes.length - unchanged;
  return {
    changed,
    unchanged,
    removed: removed.accepted,
    accepted: changed + removed.accepted,
    affected: merge(affected, removed.affected),
  };
}

interface Days {
  readonly calendar: PeriodCalendar;
  readonly ends: ReadonlyMap<string, Day>;
}

/** The day on which the score counts: plans pay people who have left for the days until they left. */
function lastDay({ repId, period }: EnteredScore, index: number, { calendar, ends }: Days): Day {
  const { from, to } = calendar.range(period, `scores.${index}.period`);
  const end = ends.get(repId);
  return end !== undefined && from <= end && end < to ? end : to;
}

async function findLastDays(tx: Transaction, repIds: readonly string[]): Promise<ReadonlyMap<string, Day>> {
  const { rows } = await sql<{ repId: string; end: Day }>`
    select rep_id as "repId", end_date as end from reps
    where workspace_id = ${tx.workspaceId} and rep_id = any(${repIds}::uuid[]) and end_date is not null`.execute(tx.db);
  return new Map(rows.map(({ repId, end }) => [repId, end]));
}

function toDeal(
  field: string,
  { repId, period, score }: EnteredScore & { readonly score: number },
  closeDate: Day,
  terms: DealTerms,
): IncomingDeal {
  const content = { fields: { [field]: score }, given: { name: scoreName(field, period), closeDate, repId } };
  return {
    dealId: scoreDealId(field, repId, period),
    ...readContent(content, terms),
    provider: null,
    sourceUpdatedAt: null,
    corrections: 'replace',
  };
}
