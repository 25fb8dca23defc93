import { sql } from 'kysely';
import { attainmentAfter } from '../../engine/trace.js';
import { Decimal, sum } from '../../kernel/decimal.js';
import { groupBy } from '../../kernel/group-by.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type CrmProvider } from '../adapters/port.js';
import { type DealValues, type WriteTargets } from '../adapters/write-back.js';

/** A CRM to which commission is written. */
export interface ActiveWriteBack {
  readonly provider: CrmProvider;
  readonly targets: WriteTargets;
  /** Whether the settings exclude deals, which then count as deleted here and exist in the CRM. */
  readonly excludesDeals: boolean;
}

/** A deal with the values that the CRM must hold; null if nothing is written any more. */
export interface DesiredValues {
  readonly dealId: string;
  readonly provider: CrmProvider;
  readonly values: DealValues | null;
}

interface DealEvent {
  readonly amount: string;
  readonly currency: string;
  readonly ruleName: string;
  readonly trace: string | null;
  readonly isApproved: boolean;
}

interface DealRow {
  readonly dealId: string;
  readonly provider: CrmProvider;
  readonly isDeleted: boolean;
  /** Whether values of the deal are or were to be written. */
  readonly isKnown: boolean;
  readonly currency: string;
  readonly events: readonly DealEvent[] | null;
  /** What everyone earns, by currency; null if there is nothing, or if no total is written. */
  readonly totals: Readonly<Record<string, string>> | null;
}

/**
 * What the deals must show: the commission of their owner, and what everyone earns on them, managers and others with
 * credit included; both without adjustments and periodic bonuses. A deal that never paid anything shows nothing.
 */
export async function loadDesiredValues(
  tx: Transaction,
  active: readonly ActiveWriteBack[],
  dealIds: readonly string[],
): Promise<DesiredValues[]> {
  if (dealIds.length === 0) return [];
  const writesTotal = active.some(({ targets }) => isTotalWritten(targets));
  const { rows } = await sql<DealRow>`
    select d.deal_id as "dealId", d.provider, d.deleted_at is not null as "isDeleted", w.deal_id is not null as "isKnown",
      coalesce(d.currency, (select currency from workspaces where workspace_id = ${tx.workspaceId})) as currency, e.events, t.totals
    from deals d
    left join deal_write_backs w on w.workspace_id = d.workspace_id and w.deal_id = d.deal_id
    cross join lateral (
      select jsonb_agg(jsonb_build_object('amount', e.amount::text, 'currency', e.currency, 'ruleName', e.rule_name,
        'trace', e.trace, 'isApproved', exists (select from statement_periods s
          where s.workspace_id = e.workspace_id and s.rep_id = e.rep_id and s.status = 'approved'
            and e.earned_on between s.from_day and s.to_day))) as events
      from commission_events e
      where e.workspace_id = d.workspace_id and e.deal_key = d.deal_id and e.rep_id = d.rep_id
        and e.kind = 'commission_earned' and e.status = 'earned' and e.phase <> 'periodic'
    ) e
    cross join lateral (
      select jsonb_object_agg(s.currency, s.total) as totals from (
        select c.currency, sum(c.amount)::text as total from commission_events c
        where ${writesTotal} and c.workspace_id = d.workspace_id and c.deal_key = d.deal_id
          and c.kind = 'commission_earned' and c.status = 'earned' and c.phase <> 'periodic'
        group by c.currency
      ) s
    ) t
    where d.workspace_id = ${tx.workspaceId} and d.deal_id = any(${dealIds}::text[])
      and d.provider = any(${active.map(({ provider }) => provider)}::text[])`.execute(tx.db);
  return rows.flatMap((row) => {
    const writeBack = active.find(({ provider }) => provider === row.provider);
    return writeBack === undefined ? [] : (toDesiredValues(row, writeBack) ?? []);
  });
}

function isTotalWritten({ commissionTotal = null }: WriteTargets): boolean {
  return commissionTotal !== null;
}

function toDesiredValues(row: DealRow, writeBack: ActiveWriteBack): DesiredValues | null {
  const { dealId, provider, isDeleted, isKnown, currency } = row;
  const { targets } = writeBack;
  const values = isDeleted ? null : earnedValues(row, targets);
  if (values !== null) return { dealId, provider, values };
  if (!isKnown) return null;
  const isGone = isDeleted && !writeBack.excludesDeals;
  const reversed = {
    commission: '0',
    ...(isTotalWritten(targets) ? { commissionTotal: '0' } : {}),
    currency,
    state: targets.state === null ? '' : 'Reversed',
    attainment: null,
  };
  return { dealId, provider, values: isGone ? null : reversed };
}

/**
 * Prefers amounts in the currency of the deal; otherwise the first currency counts. Null if nothing is earned on the
 * deal that is written.
 */
function earnedValues({ events, totals, currency: dealCurrency }: DealRow, targets: WriteTargets): DealValues | null {
  const total = isTotalWritten(targets) ? totals : null;
  const byCurrency = groupBy(events ?? [], ({ currency }) => currency);
  const currencies = [...(events === null ? Object.keys(total ?? {}) : byCurrency.keys())].sort();
  const currency = currencies.find((each) => each === dealCurrency) ?? currencies[0];
  if (currency === undefined) return null;
  const paid = byCurrency.get(currency) ?? [];
  const isApproved = paid.length > 0 && paid.every((event) => event.isApproved);
  return {
    commission: sum(paid.map(({ amount }) => Decimal.of(amount))).toString(),
    ...(isTotalWritten(targets) ? { commissionTotal: Decimal.of(total?.[currency] ?? '0').toString() } : {}),
    currency,
    // Values without a field stay equal, so that their changes are not written.
    state: targets.state === null ? '' : isApproved ? 'Approved' : 'Earned',
    attainment: targets.attainment === null ? null : findAttainment(paid),
  };
}

/** The attainment under the rule that pays most of those with a quota. */
function findAttainment(events: readonly DealEvent[]): string | null {
  let best: { readonly event: DealEvent; readonly attainment: Decimal } | null = null;
  for (const event of events) {
    const attainment = event.trace === null ? null : attainmentAfter(event.trace);
    if (attainment !== null && (best === null || isBefore(event, best.event))) best = { event, attainment };
  }
  return best?.attainment.toString() ?? null;
}

function isBefore(event: DealEvent, other: DealEvent): boolean {
  const [first, second] = [Decimal.of(event.amount), Decimal.of(other.amount)];
  return first.equals(second) ? event.ruleName < other.ruleName : second.isLessThan(first);
}
