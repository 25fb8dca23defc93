import { type RawBuilder, sql } from 'kysely';
import { type Fields, type FieldValue, isAbsent } from '../engine/field-value.js';
import { type RepInput, type TeamDeal, type UpstreamEvent } from '../engine/model.js';
import { type Deal } from '../engine/slug.js';
import { type Day, type DayRange, hull, isWithin } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { groupBy } from '../kernel/group-by.js';
import { longerKind, type PeriodKind, periodRange, widened } from '../kernel/period.js';
import { selectAsText } from '../platform/database/columns.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { countedRows, earnedRows } from './counted-rows.js';
import { loadTeam } from './hierarchy.js';
import { type RepTerms } from './rep-terms.js';

/** The days widened to whole attainment periods of every rule that the rep has or had. */
export function calculationWindow(terms: RepTerms, days: DayRange): DayRange {
  const kinds = terms.versions.flatMap((version) => version.rules.map((rule) => rule.attainmentPeriod));
  const longest = kinds.reduce<PeriodKind>(longerKind, 'monthly');
  const window = widened(days, longest);
  // A frozen period that overlaps the window is included as a whole, because its rows count for their neighbours.
  return terms.frozen.reduce(
    (wide, { range }) => (isTouched(wide, range) ? widened(hull(wide, range), longest) : wide),
    window,
  );
}

function isTouched(window: DayRange, range: DayRange): boolean {
  return range.from <= window.to && range.to >= window.from;
}

const dealColumns = [
  sql`d.deal_id`,
  sql`d.close_date`,
  sql`d.fields`,
  sql`d.amount`,
  sql`d.stage`,
  sql`d.name`,
  sql`d.owner_id`,
  sql`d.currency`,
  sql`d.created_date`,
];

/** The existing deals of the reps that closed in the window. Deals without a close date lie in no period. */
function dealsOf(workspaceId: string, repIds: readonly string[], window: DayRange): RawBuilder<unknown> {
  return sql`deals d
    where d.workspace_id = ${workspaceId} and d.rep_id in (${sql.join(repIds)})
      and d.close_date between ${window.from} and ${window.to} and d.deleted_at is null`;
}

export async function loadDeals(trx: Work, terms: RepTerms, window: DayRange): Promise<Deal[]> {
  const rows = await selectAsText(trx, dealColumns, dealsOf(terms.workspaceId, [terms.repId], window));
  return rows.map((cells) => dealOf(cells, terms.workspace.amountSlug));
}

function dealOf(cells: (string | null)[], amountSlug: string | null): Deal {
  const [dealId, closeDate, storedFields, amount = null, stage = null, name = null, ownerId = null, ...rest] = cells;
  const [currency = null, createdDate = null] = rest;
  const fields = JSON.parse(storedFields as string) as Fields;
  return {
    dealId: dealId as string,
    closeDate: closeDate as Day,
    fields,
    standard: {
      dealAmount: amount ?? unreadAmount(fields, amountSlug),
      dealStage: stage,
      closeDate: closeDate as Day,
      dealName: name,
      ownerId,
      currency,
      createdDate,
    },
  };
}

/** The raw amount that could not be stored, so that the engine can give the reason. */
function unreadAmount(fields: Fields, amountSlug: string | null): FieldValue {
  if (amountSlug !== null) return (Object.hasOwn(fields, amountSlug) ? fields[amountSlug] : null) ?? null;
  return isAbsent(fields['amount']) ? (fields['value'] ?? null) : (fields['amount'] as FieldValue);
}

/** Deals of the reps below with the events that they earned: the input of cascade rules. */
export async function loadTeamDeals(trx: Work, terms: RepTerms, window: DayRange): Promise<TeamDeal[]> {
  const cascades = terms.versions.some((version) => version.rules.some((rule) => rule.executionPhase === 'cascade'));
  const team = cascades ? await loadTeam(trx, terms.workspaceId, terms.repId) : [];
  if (team.length === 0) return [];
  const spans = groupBy(team, (member) => member.repId);
  const isBelow = (repId: string | null, day: Day) =>
    repId !== null && (spans.get(repId)?.some((span) => isWithin(day, span)) ?? false);
  const [owned, isTruedUp] = await Promise.all([
    loadOwnedDeals(trx, terms, [...spans.keys()], window),
    hasTruedUpPeriods(trx, terms.workspaceId),
  ]);
  const deals = owned.flatMap(({ repId, deal }) => (isBelow(repId, deal.closeDate) ? [deal] : []));
  const source = isTruedUp ? countedRows(terms.workspaceId) : earnedRows(terms.workspaceId);
  const events = groupBy(await loadUpstreamEvents(trx, source, [...spans.keys()], deals), (event) => event.dealKey);
  return deals.map((deal) => ({
    deal,
    upstream: (events.get(deal.dealId) ?? []).filter((event) => isBelow(event.repId, deal.closeDate)),
  }));
}

/** The deals of the reps, each with its owner, in one statement. */
export async function loadOwnedDeals(
  trx: Work,
  { workspaceId, workspace: { amountSlug } }: Pick<RepTerms, 'workspaceId' | 'workspace'>,
  repIds: readonly string[],
  window: DayRange,
): Promise<{ readonly repId: string; readonly deal: Deal }[]> {
  const rows = await selectAsText(trx, [sql`d.rep_id`, ...dealColumns], dealsOf(workspaceId, repIds, window));
  return rows.map(([repId, ...cells]) => ({ repId: repId as string, deal: dealOf(cells, amountSlug) }));
}

/** Whether any period of the workspace is trued up. If not, events are read without checking their period. */
async function hasTruedUpPeriods(trx: Work, workspaceId: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from statement_periods where workspace_id = ${workspaceId} and trued_up) as found`.execute(
    trx,
  );
  return rows[0]?.found ?? false;
}

interface DealEvent extends UpstreamEvent {
  readonly dealKey: string;
  readonly planId: string;
}

/**
 * The earned events of the reps on the deals. Joined in memory: without table statistics the server is slow
 * at this join.
 */
async function loadUpstreamEvents(
  trx: Work,
  source: RawBuilder<unknown>,
  repIds: readonly string[],
  deals: readonly Deal[],
): Promise<DealEvent[]> {
  const { rows } = await sql<{
    deal_key: string;
    rep_id: string;
    plan_id: string;
    rule_name: string;
    phase: UpstreamEvent['phase'];
    currency: string;
    amount: string;
  }>`
    select c.deal_key, c.rep_id, c.plan_id, c.rule_name, c.phase, c.currency, c.amount from ${source}
    where c.deal_key = any(${deals.map((deal) => deal.dealId)}::text[])
      and c.rep_id = any(${repIds}::uuid[]) and c.phase <> 'periodic'
    order by c.deal_key, c.rep_id, c.plan_id, c.rule_name`.execute(trx);
  return rows.map((row) => ({
    dealKey: row.deal_key,
    repId: row.rep_id,
    planId: row.plan_id,
    ruleName: row.rule_name,
    phase: row.phase,
    currency: row.currency,
    amount: Decimal.of(row.amount),
  }));
}

/** Credits of the other reps under every rank rule of the rep's plans, as the ledger counts them. */
export async function loadPeerCredits(trx: Work, terms: RepTerms, window: DayRange): Promise<RepInput['peerCredits']> {
  const rankings = await loadRankings(trx, terms.workspaceId, rankedPlans(terms.versions), window);
  return (planId, key, period) =>
    rankings(planId, key, period)
      .filter((peer) => peer.repId !== terms.repId)
      .map(({ credit }) => credit);
}

/** The plans that have a rule with rank tiers. */
export function rankedPlans(versions: RepTerms['versions']): string[] {
  const ranked = versions.filter((version) => version.rules.some((rule) => rule.tierBy === 'rank'));
  return [...new Set(ranked.map((version) => version.planId))];
}

/** The reps on the plan in the period, each with the credit under the key. */
export type Rankings = (
  planId: string,
  key: string,
  period: string,
) => readonly { readonly repId: string; readonly credit: Decimal }[];

export async function loadRankings(
  trx: Work,
  workspaceId: string,
  planIds: readonly string[],
  window: DayRange,
): Promise<Rankings> {
  if (planIds.length === 0) return () => [];
  const { rows: credits } = await sql<{
    plan_id: string;
    attainment_key: string;
    period: string;
    rep_id: string;
    credit: string;
  }>`
    select c.plan_id, c.attainment_key, c.period, c.rep_id, sum(c.credit)::text as credit
    from ${countedRows(workspaceId)}
    where c.plan_id in (${sql.join(planIds)}) and c.earned_on between ${window.from}::date and ${window.to}::date
    group by c.plan_id, c.attainment_key, c.period, c.rep_id`.execute(trx);
  const spans = await trx
    .selectFrom('assignments')
    .select(['plan_id', 'rep_id', 'effective_start', 'effective_end'])
    .where('workspace_id', '=', workspaceId)
    .where('plan_id', 'in', planIds)
    .where('deleted_at', 'is', null)
    .execute();
  const byKey = new Map(
    credits.map((row) => [`${row.plan_id}|${row.attainment_key}|${row.period}|${row.rep_id}`, row.credit]),
  );
  return (planId, key, period) => {
    const { from, to } = periodRange(period);
    const peers = new Set(
      spans
        .filter(
          (span) =>
            span.plan_id === planId && (span.effective_start ?? from) <= to && (span.effective_end ?? to) >= from,
        )
        .map((span) => span.rep_id),
    );
    return [...peers].map((repId) => ({
      repId,
      credit: Decimal.of(byKey.get(`${planId}|${key}|${period}|${repId}`) ?? '0'),
    }));
  };
}

/** The day of the rep's first deal or quota: periodic rules count periods from then on. */
export async function loadFirstActivity(trx: Work, terms: RepTerms): Promise<Day | null> {
  const periodic = terms.versions.some((version) => version.rules.some((rule) => rule.executionPhase === 'periodic'));
  if (!periodic) return null;
  return firstActivityOf(terms, await loadFirstCloseDates(trx, terms.workspaceId, [terms.repId]));
}

/** The day of the rep's first quota or deal, given the first close date of each rep. */
export function firstActivityOf({ repId, quotas }: RepTerms, firstCloseDates: ReadonlyMap<string, Day>): Day | null {
  const first = firstCloseDates.get(repId);
  const quotaStarts = quotas.map((quota) => periodRange(quota.period).from);
  return [...quotaStarts, ...(first === undefined ? [] : [first])].sort()[0] ?? null;
}

export async function loadFirstCloseDates(
  trx: Work,
  workspaceId: string,
  repIds: readonly string[],
): Promise<ReadonlyMap<string, Day>> {
  if (repIds.length === 0) return new Map();
  const { rows } = await sql<{ repId: string; day: Day }>`
    select rep_id as "repId", min(close_date) as day from deals
    where workspace_id = ${workspaceId} and rep_id = any(${repIds}::uuid[]) and deleted_at is null
      and close_date is not null
    group by rep_id`.execute(trx);
  return new Map(rows.map(({ repId, day }) => [repId, day]));
}
