import { parseRefundKey } from '../../engine/clawback.js';
import { defaultRateTable, type ExchangeRates } from '../../engine/exchange-rates.js';
import { asDay } from '../../engine/field-value.js';
import { pairInputs } from '../../engine/pair-inputs.js';
import { measureRefunds } from '../../engine/refund-chain.js';
import { fieldReader } from '../../engine/slug.js';
import { type Day } from '../../kernel/day.js';
import { Decimal } from '../../kernel/decimal.js';
import { groupBy } from '../../kernel/group-by.js';
import { fxInput } from '../../ledger/input/exchange-rates.js';
import { type Invoice } from '../invoices/invoice.js';
import { whole } from './fraction.js';
import { type HoldTerms, matches } from './hold-views.js';
import { frozenKey, inputKey, type PaidDeal, type PayFacts } from './pay-facts.js';
import { type PayableRow } from './payable-rows.js';
import { type PayGroup } from './release.js';
import { type DealFacts, type Payment, type ShareTerms, scheduleParts } from './share.js';

/** A group with the row that it was made from. */
export interface LoadedGroup extends PayGroup {
  readonly holds: readonly HoldTerms[];
  readonly row: PayableRow;
}

/**
 * The groups of the rows that the payables pay, by rep: what was earned on or after the first day of the first pay
 * period. What was earned before is paid with its statement.
 */
export function buildGroups(
  rows: readonly PayableRow[],
  facts: PayFacts,
  firstDay: Day,
): ReadonlyMap<string, readonly LoadedGroup[]> {
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
  const byKey = groupBy(rows, (row) => `${row.repId}|${keyOfSource(row)}|${row.currency}`);
  return [...byKey.values()].map((all) => {
    const source = all.find((row) => refundedDeal(row) === null);
    if (source !== undefined) return { source, isRefund: false, all };
    const [refund] = all as [PayableRow];
    return { source: { ...refund, key: keyOfSource(refund), dealKey: refundedDeal(refund) }, isRefund: true, all };
  });
}

/** The key of the row from which a refund takes back; of every other row, its own. */
export function keyOfSource(row: PayableRow): string {
  const dealId = refundedDeal(row);
  return dealId === null ? row.key : `${row.planId}|${row.ruleName}|${dealId}`;
}

/** The deal of the row of a refund; null for every other row. */
export function refundedDeal({ dealKey }: PayableRow): string | null {
  return dealKey === null ? null : (parseRefundKey(dealKey)?.dealId ?? null);
}

export function isBefore({ frozen, day }: PayableRow, firstDay: Day): boolean {
  return (frozen?.range.to ?? day) < firstDay;
}

/** The share terms of rows. */
class Shares {
  private readonly known = new Map<PayableRow, ShareTerms>();
  /** The facts of the deals of rows that no approved period owns. */
  private readonly current = new Map<string, DealFacts>();

  private readonly rates: ExchangeRates | undefined;

  constructor(
    private readonly facts: PayFacts,
    private readonly firstDay: Day,
  ) {
    this.rates = fxInput(facts).fx?.rates;
  }

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
    if (row.phase === 'cascade' && rule?.payout === undefined) return this.followInputs(row);
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
    const pairs = pairInputs(inputs ?? [], (name) => this.facts.inputs.get(inputKey({ ...name, dealKey })) ?? []);
    return {
      kind: 'inputs',
      inputs: pairs.map(({ input, row }) => ({ amount: Decimal.of(input.amount), share: this.of(row) })),
    };
  }

  private factsOf(row: PayableRow, deal: PaidDeal | undefined): DealFacts {
    const { repId, frozen, dealKey } = row;
    const stored = frozen === null ? undefined : this.facts.amounts.get(frozenKey(repId, frozen.period, dealKey ?? ''));
    // The amount of a deal without a currency is in the one that it earns in.
    const currency = deal?.currency ?? row.currency;
    if (stored !== undefined) return this.readFacts(dealKey, currency, stored);
    const key = `${dealKey}|${currency}`;
    const known = this.current.get(key) ?? this.readFacts(dealKey, currency, deal?.amount ?? null);
    this.current.set(key, known);
    return known;
  }

  private readFacts(dealKey: string | null, currency: string, amount: string | null): DealFacts {
    const ofDeal = amount === null ? null : Decimal.of(amount);
    const refunds = this.facts.refunds.get(dealKey ?? '') ?? [];
    return {
      amount: ofDeal,
      refunds: measureRefunds(refunds, ofDeal).map(({ refund, refunded }) => ({ day: refund.day, amount: refunded })),
      payments: (this.facts.invoices.get(dealKey ?? '') ?? []).flatMap((invoice) =>
        toPayments(invoice, currency, this.rates),
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
