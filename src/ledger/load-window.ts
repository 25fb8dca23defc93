import { type RawBuilder, sql } from 'kysely';
import { type RepInput, type TeamDeal, type UpstreamEvent } from '../engine/calculate.js';
import { type Fields, type FieldValue, isAbsent } from '../engine/field-value.js';
import { type Deal } from '../engine/slug.js';
import { type Day, type DayRange, hull, isWithin } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { groupBy } from '../kernel/group-by.js';
import { longerKind, type PeriodKind, periodRange, widened } from '../kernel/period.js';
import { cellsOf } from '../platform/database/columns.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { loadTeam } from './hierarchy.js';
import { type RepTerms } from './rep-terms.js';

/** The days widened to whole attainment periods of every rule that the rep has or had. */
export function calculationWindow(terms: RepTerms, days: DayRange): DayRange {
  const kinds = terms.versions.flatMap((version) => version.rules.map((rule) => rule.attainmentPeriod));
  const longest = kinds.reduce<PeriodKind>(longerKind, 'monthly');
  const window = widened(days, longest);
  // A frozen period that the window cuts is taken whole: its rows count for their neighbours.
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

/** The live deals of the reps that were closed in the window; deals without a close date lie in no period at all. */
function dealsOf(workspaceId: string, repIds: readonly string[], window: DayRange): RawBuilder<unknown> {
  return sql`deals d
    where d.workspace_id = ${workspaceId} and d.rep_id in (${sql.join(repIds)})
      and d.close_date between ${window.from} and ${window.to} and d.deleted_at is null`;
}

export async function loadDeals(trx: Work, terms: RepTerms, window: DayRange): Promise<Deal[]> {
  const rows = await cellsOf(trx, dealColumns, dealsOf(terms.workspaceId, [terms.repId], window));
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

/** The value that was not stored as the deal's amount, so that the engine can say why it is not one. */
function unreadAmount(fields: Fields, amountSlug: string | null): FieldValue {
  if (amountSlug !== null) return (Object.hasOwn(fields, amountSlug) ? fields[amountSlug] : null) ?? null;
  return isAbsent(fields['amount']) ? (fields['value'] ?? null) : (fields['amount'] as FieldValue);
}

/** Deals of everyone below, with what they have earned down there: the input of cascade rules. */
export async function loadTeamDeals(trx: Work, terms: RepTerms, window: DayRange): Promise<TeamDeal[]> {
  const cascades = terms.versions.some((version) => version.rules.some((rule) => rule.executionPhase === 'cascade'));
  const team = cascades ? await loadTeam(trx, terms.workspaceId, terms.repId) : [];
  if (team.length === 0) return [];
  const spans = groupBy(team, (member) => member.repId);
  const isBelow = (repId: string | null, day: Day) =>
    repId !== null && (spans.get(repId)?.some((span) => isWithin(day, span)) ?? false);
  const rows = await cellsOf(
    trx,
    [sql`d.rep_id`, ...dealColumns],
    dealsOf(terms.workspaceId, [...spans.keys()], window),
  );
  const deals = rows.flatMap(([repId = null, ...cells]) => {
    const deal = dealOf(cells, terms.workspace.amountSlug);
    return isBelow(repId, deal.closeDate) ? [deal] : [];
  });
  const events = groupBy(
    await loadUpstreamEvents(trx, terms.workspaceId, [...spans.keys()], deals),
    (event) => event.dealKey,
  );
  return deals.map((deal) => ({
    deal,
    upstream: (events.get(deal.dealId) ?? []).filter((event) => isBelow(event.repId, deal.closeDate)),
  }));
}

interface DealEvent extends UpstreamEvent {
  readonly dealKey: string;
}

/** What the reps have earned on the deals. Joined here and not in SQL, where fresh tables make for ruinous plans. */
async function loadUpstreamEvents(
  trx: Work,
  workspaceId: string,
  repIds: readonly string[],
  deals: readonly Deal[],
): Promise<DealEvent[]> {
  const { rows } = await sql<{
    deal_key: string;
    rep_id: string;
    rule_name: string;
    phase: UpstreamEvent['phase'];
    currency: string;
    amount: string;
  }>`
    select deal_key, rep_id, rule_name, phase, currency, amount from commission_events
    where workspace_id = ${workspaceId} and deal_key = any(${deals.map((deal) => deal.dealId)}::text[])
      and rep_id = any(${repIds}::uuid[]) and kind = 'commission_earned' and status = 'earned' and phase <> 'periodic'
    order by deal_key, rep_id, plan_id, rule_name`.execute(trx);
  return rows.map((row) => ({
    dealKey: row.deal_key,
    repId: row.rep_id,
    ruleName: row.rule_name,
    phase: row.phase,
    currency: row.currency,
    amount: Decimal.of(row.amount),
  }));
}

/** Credits of the other reps under every rank rule of the rep's plans, from what stands in the ledger. */
export async function loadPeerCredits(trx: Work, terms: RepTerms, window: DayRange): Promise<RepInput['peerCredits']> {
  const ranked = terms.versions.filter((version) => version.rules.some((rule) => rule.tierBy === 'rank'));
  if (ranked.length === 0) return () => [];
  const planIds = [...new Set(ranked.map((version) => version.planId))];
  const { workspaceId, repId } = terms;
  const { rows: credits } = await sql<{
    plan_id: string;
    attainment_key: string;
    period: string;
    rep_id: string;
    credit: string;
  }>`
    select plan_id, attainment_key, period, rep_id, sum(credit)::text as credit
    from commission_events
    where workspace_id = ${workspaceId} and rep_id <> ${repId} and plan_id in (${sql.join(planIds)})
      and kind = 'commission_earned' and status = 'earned' and earned_on between ${window.from} and ${window.to}
    group by plan_id, attainment_key, period, rep_id`.execute(trx);
  const spans = await trx
    .selectFrom('assignments')
    .select(['plan_id', 'rep_id', 'effective_start', 'effective_end'])
    .where('workspace_id', '=', workspaceId)
    .where('plan_id', 'in', planIds)
    .where('rep_id', '<>', repId)
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
    return [...peers].map((peer) => Decimal.of(byKey.get(`${planId}|${key}|${period}|${peer}`) ?? '0'));
  };
}

/** The first day on which anything is known of the rep: from then on periodic rules count periods. */
export async function loadFirstActivity(trx: Work, terms: RepTerms): Promise<Day | null> {
  const periodic = terms.versions.some((version) => version.rules.some((rule) => rule.executionPhase === 'periodic'));
  if (!periodic) return null;
  const first = await trx
    .selectFrom('deals')
    .select((select) => select.fn.min('close_date').as('day'))
    .where('workspace_id', '=', terms.workspaceId)
    .where('rep_id', '=', terms.repId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  const quotaStarts = terms.quotas.map((quota) => periodRange(quota.period).from);
  return [...quotaStarts, ...(first?.day ? [first.day] : [])].sort()[0] ?? null;
}
