import { type SqlBool, sql } from 'kysely';
import { parseRefundKey } from '../engine/clawback.js';
import { defaultRateTable, type ExchangeRates } from '../engine/exchange-rates.js';
import { asDay, type Fields } from '../engine/field-value.js';
import { type PayoutTerms } from '../engine/plan-config.js';
import { measureRefunds } from '../engine/refund-chain.js';
import { type Deal, fieldReader, type SlugMapping } from '../engine/slug.js';
import { type Invoice } from '../invoices/invoice.js';
import { listInvoices } from '../invoices/invoice-views.js';
import { type Day } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { groupBy } from '../kernel/group-by.js';
import { inParallel } from '../kernel/waiting.js';
import { fxInput } from '../ledger/input/exchange-rates.js';
import { canonicalFieldMapping } from '../ledger/input/field-mapping.js';
import { loadWorkspaceTerms, type WorkspaceTerms } from '../ledger/input/rep-terms.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type StoredRefund, toFact } from '../refunds/refund.js';
import { listRefunds } from '../refunds/refund-views.js';
import { whole } from './fraction.js';
import { type HoldTerms, loadHoldTerms, matches } from './hold-views.js';
import { loadPayableRows, type PayableRow } from './payable-rows.js';
import { type PayGroup } from './release.js';
import { type DealFacts, type Payment, type ShareTerms, scheduleParts } from './share.js';

/** A group with the row that it was made from. */
export interface LoadedGroup extends PayGroup {
  readonly holds: readonly HoldTerms[];
  readonly row: PayableRow;
}

/** What the rules of the rows say about the payout, by rule id. */
interface RuleTerms {
  readonly payout: PayoutTerms | undefined;
  readonly mapping: SlugMapping;
}

interface StoredDeal extends Deal {
  readonly amount: string | null;
  readonly currency: string | null;
}

/** Everything that decides when the rows are paid. */
interface Facts {
  readonly workspace: WorkspaceTerms;
  readonly rates: ExchangeRates | undefined;
  readonly rules: ReadonlyMap<string, RuleTerms>;
  readonly deals: ReadonlyMap<string, StoredDeal>;
  readonly invoices: ReadonlyMap<string, readonly Invoice[]>;
  /** The amounts of deals of approved rows, by rep, period and deal. */
  readonly amounts: ReadonlyMap<string, string | null>;
  readonly refunds: ReadonlyMap<string, readonly StoredRefund[]>;
  readonly holds: readonly HoldTerms[];
  /** The rows of deals that cascade rows follow, by rep, rule and deal. */
  readonly inputs: ReadonlyMap<string, PayableRow>;
}

/**
 * The groups of the reps that the payables pay: what was earned on or after the day, in one read of each table. What was
 * earned before is paid with its statement.
 */
export async function loadGroups(
  tx: Transaction,
  repIds: readonly string[],
  firstDay: Day,
): Promise<ReadonlyMap<string, readonly LoadedGroup[]>> {
  const rows = (await loadPayableRows(tx, { repIds, firstDay })).filter((row) => !isBefore(row, firstDay));
  const facts = await loadFacts(
    tx,
    rows.filter((row) => refundedDeal(row) === null),
  );
  const shares = new Shares(facts, firstDay);
  const groups = joinRefunds(rows).map(({ source, isRefund, all }): LoadedGroup => {
    const { currency } = source;
    return {
      key: `${source.key}|${currency}`,
      currency,
      rows: all.map(({ amount, day }) => ({ amount: Decimal.of(amount), day })),
      share: isRefund ? { kind: 'whole' } : shares.of(source),
      holds: facts.holds.filter((hold) => matches(hold, source)),
      row: source,
    };
  });
  return groupBy(groups, ({ row }) => row.repId);
}

/** A row with what refunds took back of it. */
interface RefundedRow {
  readonly source: PayableRow;
  /** The source was earned before the first pay period, and so is paid, or is no longer counted. */
  readonly isRefund: boolean;
  readonly all: readonly PayableRow[];
}

function joinRefunds(rows: readonly PayableRow[]): RefundedRow[] {
  const named = rows.map((row) => {
    const dealKey = refundedDeal(row);
    const key = `${row.planId}|${row.ruleName}|${dealKey}`;
    return { row, isRefund: dealKey !== null, source: dealKey === null ? row : { ...row, key, dealKey } };
  });
  const byKey = groupBy(named, ({ source: { repId, key, currency } }) => `${repId}|${key}|${currency}`);
  return [...byKey.values()].map((all) => {
    const { source, isRefund } = (all.find((each) => !each.isRefund) ?? all[0]) as (typeof all)[number];
    return { source, isRefund, all: all.map(({ row }) => row) };
  });
}

/** The deal of the row of a refund; null for every other row. */
function refundedDeal({ dealKey }: PayableRow): string | null {
  return dealKey === null ? null : (parseRefundKey(dealKey)?.dealId ?? null);
}

function isBefore({ frozen, day }: PayableRow, firstDay: Day): boolean {
  return (frozen?.range.to ?? day) < firstDay;
}

async function loadFacts(tx: Transaction, rows: readonly PayableRow[]): Promise<Facts> {
  const cascades = rows.filter(({ phase }) => phase === 'cascade').flatMap(({ dealKey }) => dealKey ?? []);
  const inputs = cascades.length === 0 ? [] : await loadPayableRows(tx, { dealKeys: [...new Set(cascades)] });
  const all = [...rows, ...inputs];
  const [workspace, rules, holds] = await inParallel(
    () => loadWorkspaceTerms(tx),
    () => loadRules(tx, all),
    () => loadHoldTerms(tx),
  );
  const needsDeal = ({ ruleId }: PayableRow) => {
    const payout = rules.get(ruleId ?? '')?.payout;
    return payout !== undefined && 'schedule' in payout;
  };
  // A deal of a negative amount is paid at once, whatever its schedule says.
  const isScheduled = ({ ruleId }: PayableRow) => rules.get(ruleId ?? '')?.payout !== undefined;
  const dealKeys = [...new Set(all.filter(isScheduled).flatMap(({ dealKey }) => dealKey ?? []))];
  const paidKeys = [...new Set(all.filter(needsDeal).flatMap(({ dealKey }) => dealKey ?? []))];
  const [deals, invoices, amounts, refunds] = await inParallel(
    () => loadDeals(tx, dealKeys, [...rules.values()].some(readsFields)),
    () => listInvoices(tx, paidKeys),
    () => loadFrozenAmounts(tx, dealKeys),
    () => listRefunds(tx, paidKeys),
  );
  return {
    workspace,
    rates: fxInput({ workspace }).fx?.rates,
    rules,
    deals,
    invoices: groupBy(invoices, ({ dealId }) => dealId),
    refunds: groupBy(refunds, ({ dealId }) => dealId),
    amounts,
    holds,
    inputs: new Map(inputs.map((row) => [inputKey(row.repId, row.ruleName, row.dealKey), row])),
  };
}

async function loadRules(tx: Transaction, rows: readonly PayableRow[]): Promise<ReadonlyMap<string, RuleTerms>> {
  const ruleIds = [...new Set(rows.flatMap(({ ruleId }) => ruleId ?? []))];
  if (ruleIds.length === 0) return new Map();
  const found = await tx.db
    .selectFrom('plan_rules as r')
    .innerJoin('plan_versions as v', (join) =>
      join.onRef('v.workspace_id', '=', 'r.workspace_id').onRef('v.plan_version_id', '=', 'r.plan_version_id'),
    )
    .select(['r.rule_id', 'v.field_mapping'])
    .select(sql<PayoutTerms>`r.definition -> 'payout'`.as('payout'))
    .where('r.workspace_id', '=', tx.workspaceId)
    .where(sql<SqlBool>`r.rule_id = any(${ruleIds}::uuid[])`)
    .where(sql<SqlBool>`r.definition ? 'payout'`)
    .execute();
  return new Map(
    found.map((rule) => [rule.rule_id, { payout: rule.payout, mapping: canonicalFieldMapping(rule.field_mapping) }]),
  );
}

/** Whether a part of the event waits for a date of the deal. */
function readsFields({ payout }: RuleTerms): boolean {
  if (payout === undefined || 'parts' in payout) return false;
  return payout.schedule.some(({ on }) => on !== 'close' && on !== 'paid' && on !== 'paid_in_full');
}

/** Deleted deals too: their approved rows stay. */
async function loadDeals(
  tx: Transaction,
  dealKeys: readonly string[],
  withFields: boolean,
): Promise<ReadonlyMap<string, StoredDeal>> {
  if (dealKeys.length === 0) return new Map();
  const { rows } = await sql<{
    dealId: string;
    amount: string | null;
    currency: string | null;
    closeDate: Day | null;
    createdDate: Day | null;
    fields: Fields;
  }>`
    select deal_id as "dealId", amount::text as amount, currency, close_date as "closeDate",
      created_date as "createdDate", ${withFields ? sql`fields` : sql`'{}'::jsonb`} as fields
    from deals where workspace_id = ${tx.workspaceId} and deal_id = any(${dealKeys}::text[])`.execute(tx.db);
  return new Map(
    rows.map(({ dealId, amount, currency, closeDate, createdDate, fields }) => [
      dealId,
      { dealId, closeDate: closeDate ?? '', amount, currency, fields, standard: { closeDate, createdDate } },
    ]),
  );
}

async function loadFrozenAmounts(
  tx: Transaction,
  dealKeys: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  if (dealKeys.length === 0) return new Map();
  const { rows } = await sql<{ repId: string; period: string; dealKey: string; amount: string | null }>`
    select rep_id as "repId", period, deal_key as "dealKey", amount::text as amount from frozen_deal_amounts
    where workspace_id = ${tx.workspaceId} and deal_key = any(${dealKeys}::text[])`.execute(tx.db);
  return new Map(rows.map(({ repId, period, dealKey, amount }) => [frozenKey(repId, period, dealKey), amount]));
}

function frozenKey(repId: string, period: string, dealKey: string): string {
  return `${repId}|${period}|${dealKey}`;
}

function inputKey(repId: string, ruleName: string | null, dealKey: string | null): string {
  return `${repId}|${ruleName}|${dealKey}`;
}

/** The share terms of rows. */
class Shares {
  private readonly known = new Map<PayableRow, ShareTerms>();
  /** The facts of the deals of rows that no approved period owns. */
  private readonly current = new Map<string | null, DealFacts>();

  constructor(
    private readonly facts: Facts,
    private readonly firstDay: Day,
  ) {}

  of(row: PayableRow): ShareTerms {
    const known = this.known.get(row);
    if (known !== undefined) return known;
    // Rows that follow each other in a circle cannot be calculated; if they were stored, they would be paid.
    this.known.set(row, { kind: 'whole' });
    const terms = this.compute(row);
    this.known.set(row, terms);
    return terms;
  }

  private compute(row: PayableRow): ShareTerms {
    if (row.ruleId === null || isBefore(row, this.firstDay)) return { kind: 'whole' };
    const rule = this.facts.rules.get(row.ruleId);
    if (row.phase === 'cascade' && rule === undefined) return this.followInputs(row);
    const deal = this.facts.deals.get(row.dealKey ?? '');
    const parts = scheduleParts(rule?.payout, row.day, (slug) => {
      if (deal === undefined || rule === undefined) return null;
      const { measures, timeZone } = this.facts.workspace;
      return asDay(fieldReader(slug, rule.mapping, measures)(deal), timeZone);
    });
    return { kind: 'schedule', parts, deal: this.factsOf(row, deal) };
  }

  /** An input that no longer exists is left out. */
  private followInputs({ inputs, dealKey }: PayableRow): ShareTerms {
    return {
      kind: 'inputs',
      inputs: (inputs ?? []).flatMap(({ repId, ruleName, amount }) => {
        const row = this.facts.inputs.get(inputKey(repId, ruleName, dealKey));
        return row === undefined ? [] : [{ amount: Decimal.of(amount), share: this.of(row) }];
      }),
    };
  }

  private factsOf({ repId, frozen, dealKey }: PayableRow, deal: StoredDeal | undefined): DealFacts {
    const stored = frozen === null ? undefined : this.facts.amounts.get(frozenKey(repId, frozen.period, dealKey ?? ''));
    if (stored !== undefined) return this.readFacts(dealKey, deal, stored);
    const known = this.current.get(dealKey) ?? this.readFacts(dealKey, deal, deal?.amount ?? null);
    this.current.set(dealKey, known);
    return known;
  }

  private readFacts(dealKey: string | null, deal: StoredDeal | undefined, amount: string | null): DealFacts {
    const currency = deal?.currency ?? this.facts.workspace.currency;
    const ofDeal = amount === null ? null : Decimal.of(amount);
    const refunds = (this.facts.refunds.get(dealKey ?? '') ?? []).map(toFact);
    return {
      amount: ofDeal,
      refunds: measureRefunds(refunds, ofDeal).map(({ refund, given }) => ({ day: refund.day, amount: given })),
      payments: (this.facts.invoices.get(dealKey ?? '') ?? []).flatMap((invoice) =>
        toPayments(invoice, currency, this.facts.rates),
      ),
    };
  }
}

/** The payments net of tax, in the currency of the deal. One without an exchange rate of its day counts nothing. */
function toPayments(
  { amount, grossAmount, currency, status, payments }: Invoice,
  dealCurrency: string,
  rates: ExchangeRates | undefined,
): Payment[] {
  if (status === 'void') return [];
  const isForeign = currency !== null && currency !== dealCurrency;
  return payments.flatMap(({ amount: sent, paidOn }): Payment[] => {
    const rate = isForeign
      ? (rates?.find(defaultRateTable, currency, dealCurrency, { day: paidOn, isProvisional: false }) ?? null)
      : whole;
    if (rate === null) return [];
    const [net, gross] = grossAmount === null ? [1, 1] : [amount, grossAmount];
    const numerator = Decimal.of(sent).times(Decimal.of(net)).times(rate.numerator);
    return [{ day: paidOn, net: { numerator, denominator: Decimal.of(gross).times(rate.denominator) } }];
  });
}
