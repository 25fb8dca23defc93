import { type RawBuilder, sql } from 'kysely';
import { type Refund, refundKey } from '../../engine/clawback.js';
import { compileRefundTerms, type RefundTerms } from '../../engine/compiled-plan.js';
import { type Phase, type RefundInput, type RefundSource } from '../../engine/model.js';
import { type Deal } from '../../engine/slug.js';
import { type CascadeInput, decodeCountedLines, decodeCutOff, decodeInputs } from '../../engine/trace.js';
import { type Day, type DayRange, hull } from '../../kernel/day.js';
import { Decimal } from '../../kernel/decimal.js';
import { getOrInsert } from '../../kernel/get-or-insert.js';
import { groupBy } from '../../kernel/group-by.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type DatedEvent, loadCountedEvents, loadDealsById } from './load-window.js';
import { hasCascades, type RepTerms } from './rep-terms.js';

/** A rep with what was loaded for it, from which its refunds are chosen. */
export interface RefundedRep {
  readonly terms: RepTerms;
  readonly window: DayRange;
  /** Its deals and those of its team. */
  readonly deals: readonly Deal[];
  /** The deals of its rows of refunds. */
  readonly refundedDealIds: readonly string[];
}

/**
 * The refunds that each rep's calculation reads; undefined in a workspace without refunds. Stored events of people below
 * that the caller calculates again are left out.
 */
export async function loadRefundInputs(
  tx: Transaction,
  reps: readonly RefundedRep[],
  isCalculated: (event: DatedEvent) => boolean = () => false,
): Promise<(RefundInput | undefined)[]> {
  const [first] = reps;
  if (first?.terms.workspace.hasRefunds !== true) return reps.map(() => undefined);
  const inWindows = reps.flatMap(({ deals }) => deals.filter(({ refunds }) => refunds !== undefined));
  const rows = await loadSourceRows(tx, reps, [
    ...inWindows.map(({ dealId }) => dealId),
    ...reps.flatMap(({ refundedDealIds }) => refundedDealIds),
  ]);
  const dealIds = [...new Set(rows.map(({ dealKey }) => dealKey))];
  const deals = new Map(
    (
      await loadDealsById(
        tx,
        first.terms,
        dealIds,
        reps.map(({ terms }) => terms),
      )
    ).map((deal) => [deal.dealId, deal]),
  );
  const managed = reps.some(({ terms }) => hasCascades(terms)) ? [...inWindows, ...deals.values()] : [];
  const below = await loadEventsBelow(tx, managed, isCalculated);
  const byRep = groupBy(rows, ({ repId }) => repId);
  return reps.map(({ terms }) => ({
    sources: (byRep.get(terms.repId) ?? []).flatMap((row) => toSource(row, deals) ?? []),
    terms: refundTermsFinder(terms),
    below: (dealKey) => below.get(dealKey) ?? [],
  }));
}

/** The keys of the deals and of their refunds. */
export function withRefundKeys(deals: readonly Pick<Deal, 'dealId' | 'refunds'>[]): string[] {
  return deals.flatMap(({ dealId, refunds = [] }) => [
    dealId,
    ...refunds.map(({ refundId }: Refund) => refundKey(dealId, refundId)),
  ]);
}

/** What the rules of the versions of a rep say about refunds. */
function refundTermsFinder({
  versions,
  workspace: { measures, timeZone },
}: Pick<RepTerms, 'versions' | 'workspace'>): RefundInput['terms'] {
  const known = new Map<string, RefundTerms | null>();
  const compile = (planVersionId: string, ruleName: string) => {
    const version = versions.find((candidate) => candidate.planVersionId === planVersionId);
    const rule = version?.rules.find(({ name }) => name === ruleName);
    return version === undefined || rule === undefined ? null : compileRefundTerms(rule, version, measures, timeZone);
  };
  return (planVersionId, ruleName) =>
    getOrInsert(known, `${planVersionId}|${ruleName}`, () => compile(planVersionId, ruleName));
}

interface SourceRow {
  readonly repId: string;
  readonly planId: string;
  readonly planVersionId: string;
  readonly ruleName: string;
  readonly dealKey: string;
  readonly category: RefundSource['category'];
  readonly currency: string;
  readonly attainmentKey: string;
  readonly earnedOn: Day;
  readonly amount: string;
  readonly credit: string;
  readonly phase: Phase;
  readonly trace: string | null;
  readonly inputs: readonly CascadeInput[] | null;
  readonly from: Day | null;
  readonly to: Day | null;
  readonly isRecorded: boolean;
  readonly dealAmount: string | null;
  readonly cutOff: string | null;
}

const sourceColumns = sql`c.rep_id as "repId", c.plan_id as "planId", c.plan_version_id as "planVersionId",
  c.rule_name as "ruleName", c.deal_key as "dealKey", c.phase, c.category, c.currency, c.attainment_key as "attainmentKey",
  c.earned_on as "earnedOn", c.amount::text as amount, c.credit::text as credit, s.from_day as "from", s.to_day as "to",
  f.deal_key is not null as "isRecorded", f.amount::text as "dealAmount"`;

/** The counted rows of the reps for the given deals, and for deals with a refund in the windows. */
async function loadSourceRows(
  tx: Transaction,
  reps: readonly RefundedRep[],
  dealIds: readonly string[],
): Promise<SourceRow[]> {
  const { from, to } = reps.map(({ window }) => window).reduce(hull);
  const recorded = (period: RawBuilder<unknown>) => sql`left join frozen_deal_amounts f
    on f.workspace_id = c.workspace_id and f.rep_id = c.rep_id and f.period = ${period} and f.deal_key = c.deal_key`;
  const isSource = sql`c.workspace_id = ${tx.workspaceId} and c.phase <> 'periodic'
    and c.rep_id = any(${reps.map(({ terms }) => terms.repId)}::uuid[])
    and c.deal_key = any(${[...new Set(dealIds)]}::text[] || array(
      select deal_id from deal_refunds
      where workspace_id = ${tx.workspaceId} and day between ${from}::date and ${to}::date))`;
  const { rows } = await sql<SourceRow>`
    select ${sourceColumns}, c.trace, null::jsonb as inputs, null::numeric as "cutOff"
    from commission_events c
    left join statement_periods s on s.workspace_id = c.workspace_id and s.rep_id = c.rep_id and s.status = 'approved'
      and c.earned_on between s.from_day and s.to_day
    ${recorded(sql`s.period`)}
    where ${isSource} and c.kind = 'commission_earned' and c.status = 'earned' and s.trued_up is not true
    union all
    select ${sourceColumns}, null, c.inputs, c.cut_off
    from trued_up_rows c
    join statement_periods s on s.workspace_id = c.workspace_id and s.rep_id = c.rep_id and s.period = c.frozen_period
    ${recorded(sql`c.frozen_period`)}
    where ${isSource}`.execute(tx.db);
  return rows;
}

function toSource(row: SourceRow, deals: ReadonlyMap<string, Deal>): RefundSource | null {
  const { repId: _, amount, credit, trace, inputs, from, to, isRecorded, dealAmount, phase, cutOff, ...same } = row;
  const deal = deals.get(row.dealKey);
  if (deal?.refunds === undefined) return null;
  const recorded = dealAmount === null ? null : Decimal.of(dealAmount);
  return {
    ...same,
    amount: Decimal.of(amount),
    credit: Decimal.of(credit),
    cutOff: trace === null ? Decimal.of(cutOff ?? '0') : decodeCutOff(trace),
    lines: trace === null || phase === 'cascade' ? null : decodeCountedLines(trace),
    inputs: trace === null ? inputs : phase === 'cascade' ? decodeInputs(trace) : null,
    approved: from === null || to === null ? null : { from, to },
    ...(isRecorded ? { dealAmount: recorded } : {}),
    deal,
  };
}

/** What counts on the deals and on their refunds, of everyone. */
async function loadEventsBelow(
  tx: Transaction,
  deals: readonly Deal[],
  isCalculated: (event: DatedEvent) => boolean,
): Promise<ReadonlyMap<string, readonly DatedEvent[]>> {
  if (deals.length === 0) return new Map();
  const events = await loadCountedEvents(tx, [...new Set(withRefundKeys(deals))]);
  return groupBy(
    events.filter((event) => !isCalculated(event)),
    ({ dealKey }) => dealKey,
  );
}
