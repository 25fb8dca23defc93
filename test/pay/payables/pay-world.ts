import { ExchangeRates } from '#src/engine/exchange-rates.js';
import { type DayRange } from '#src/kernel/day.js';
import { Decimal, maximum, sum } from '#src/kernel/decimal.js';
import { groupBy } from '#src/kernel/group-by.js';
import { type Fraction } from '#src/pay/payables/fraction.js';
import { addPay, correctPay, type PayTerms } from '#src/pay/payables/pay-currency.js';
import {
  computeCorrection,
  computeEarned,
  computePayLines,
  computeReleased,
  findHeld,
  type GroupAmounts,
  isHeld,
  type PayGroup,
  type PayPeriod,
} from '#src/pay/payables/release.js';
import { type DealFacts, type ShareTerms, scheduleParts } from '#src/pay/payables/share.js';
import { type StoredPay, type StoredTotals } from '#src/pay/payables/stored-payable.js';
import {
  computeCorrectedTotals,
  computeOpening,
  computeTotals,
  noTotals,
  type PayTotals,
} from '#src/pay/payables/totals.js';
import { type OracleEvent, type OraclePayout, type OracleRate } from '../../support/oracle/payables.js';

/** The service's view of an event of the oracle. */
export function toGroup(event: OracleEvent): PayGroup {
  return {
    key: event.key,
    currency: event.currency,
    rows: event.rows.map(({ amount, day }) => ({ amount: Decimal.of(amount), day })),
    share: toShare(event),
    holds: event.holds,
  };
}

function toShare({ source }: OracleEvent): ShareTerms {
  if (source === 'whole') return { kind: 'whole' };
  if ('inputs' in source)
    return {
      kind: 'inputs',
      inputs: source.inputs.map(({ amount, of }) => ({ amount: Decimal.of(amount), share: toShare(of) })),
    };
  const { closes, payout, deal } = source;
  const facts: DealFacts = {
    amount: deal.amount === null ? null : Decimal.of(deal.amount),
    refunds: deal.refunds.map(({ day, amount }) => ({ day, amount: Decimal.of(amount) })),
    payments: deal.invoices
      .filter(({ status }) => status !== 'void')
      .flatMap(({ amount, gross, payments }) =>
        payments.map((payment) => ({ day: payment.day, net: netOf(payment.amount, amount, gross) })),
      ),
  };
  return {
    kind: 'schedule',
    parts: scheduleParts(payout ?? undefined, closes, (slug) => deal.dates[slug] ?? null),
    deal: facts,
  };
}

function netOf(sent: string, amount: string, gross: string | null): Fraction {
  if (gross === null) return { numerator: Decimal.of(sent), denominator: Decimal.one };
  return { numerator: Decimal.of(sent).times(Decimal.of(amount)), denominator: Decimal.of(gross) };
}

const repId = 'rep';

/** The totals as they are stored. */
function toStored(totals: PayTotals): StoredTotals {
  const text = Object.entries(totals).map(([name, value]) => [name, String(value)]);
  return { ...Object.fromEntries(text), commission: '0', bonus: '0' } as unknown as StoredTotals;
}

/** Terms under which everything is paid in the currency, at the latest rate up to the last day of the statement. */
export function payTerms(currency: string, rates: readonly OracleRate[]): PayTerms {
  const byPair = groupBy(rates, ({ from, to }) => `${from} ${to}`);
  const series = [...byPair.values()].map((ofPair) => ({
    ...{ table: 'default', from: ofPair[0]?.from ?? '', to: ofPair[0]?.to ?? '' },
    rates: ofPair
      .map(({ day, rate }) => `${day} ${rate}`)
      .sort()
      .join(),
  }));
  return {
    currencies: new Map([[repId, [{ from: '2026-01-01', currency }]]]),
    rates: new ExchangeRates(series, [], { workspaceCurrency: 'USD', maxAgeDays: 45 }),
    payFx: { date: 'period_end' },
    today: '2026-12-31',
  };
}

interface Statement {
  readonly pay: StoredPay | null;
  readonly lines: GroupAmounts;
  readonly totals: ReadonlyMap<string, PayTotals>;
  readonly carried: readonly GroupAmounts[];
}

/** The statements of one person as the service keeps them, calculated by the service's functions. */
export class PayWorld {
  readonly periods: { name: string; from: string; to: string }[];
  events: OracleEvent[] = [];
  payTerms: PayTerms | null = null;
  /** The day on which approved periods are corrected. */
  today = '2026-12-31';
  private readonly approved = new Map<string, Statement>();
  private readonly corrections = new Map<string, GroupAmounts[]>();
  /** The corrections that were paid in the corrected period. */
  private readonly truedUp = new Map<string, GroupAmounts[]>();
  /** The corrections of other periods that the period is to pay. */
  private readonly carried = new Map<string, GroupAmounts[]>();

  constructor(
    periods: readonly { name: string; lastDay: string }[],
    private readonly maxPercent = 100,
  ) {
    this.periods = periods.map(({ name, lastDay }) => ({ name, from: `${lastDay.slice(0, 8)}01`, to: lastDay }));
  }

  lines(index: number): Map<string, { readonly amount: Decimal; readonly late: boolean }> {
    const groups = this.events.map(toGroup);
    const periods = this.periods.slice(0, index + 1).map(
      ({ name, from, to }, at): PayPeriod => ({
        period: name,
        range: { from, to },
        approved: this.approved.get(name)?.lines ?? null,
        corrections: this.corrections.get(name) ?? [],
        unpaid: this.unpaid(at),
      }),
    );
    const lines = computePayLines(groups, periods).byPeriod.get(this.name(index)) ?? [];
    return new Map(lines.map(({ key, amount, late }) => [key, { amount, late }]));
  }

  totals(index: number, currency: string): PayTotals {
    const stored = this.approved.get(this.name(index));
    if (stored !== undefined) return stored.totals.get(currency) ?? noTotals(currency);
    const carried = this.paidCarried(index).map((amounts) => sum(inCurrency(amounts, currency)));
    return computeTotals({
      currency,
      lines: [...this.lines(index)].filter(([key]) => key.endsWith(currency)).map(([, { amount }]) => amount),
      carried,
      opening: this.opening(index, currency),
      maxPercent: Decimal.of(this.maxPercent),
      guaranteed: Decimal.zero,
    });
  }

  /** The corrections of other periods that the statement pays. */
  private paidCarried(index: number): readonly GroupAmounts[] {
    const stored = this.approved.get(this.name(index));
    if (stored !== undefined) return stored.carried;
    const groups = this.events.map(toGroup);
    const day = this.periods[index]?.to ?? '';
    return (this.carried.get(this.name(index)) ?? []).map((amounts) => {
      const held = findHeld(groups, amounts, [day]);
      return new Map([...amounts].filter(([key]) => !held.has(key)));
    });
  }

  private unpaid(index: number): GroupAmounts {
    const unpaid = new Map<string, Decimal>();
    const add = (key: string, amount: Decimal) => unpaid.set(key, (unpaid.get(key) ?? Decimal.zero).plus(amount));
    for (const amounts of this.carried.get(this.name(index)) ?? [])
      for (const [key, amount] of amounts) add(key, amount);
    for (const amounts of this.paidCarried(index)) for (const [key, amount] of amounts) add(key, amount.negated());
    return unpaid;
  }

  /** What is paid in the currency of the person; null while a rate is missing. */
  pay(index: number, currencies: readonly string[]): string | null {
    return this.findPay(index, currencies)?.amount ?? null;
  }

  private findPay(index: number, currencies: readonly string[]): StoredPay | null {
    const stored = this.approved.get(this.name(index));
    if (stored !== undefined) return stored.pay;
    const totals = currencies.map((currency) => toStored(this.totals(index, currency)));
    return addPay(this.payTerms, repId, this.periods[index] as DayRange, { totals, lines: [] }).pay ?? null;
  }

  balance(currency: string): Decimal {
    return maximum(this.opening(this.periods.length, currency), Decimal.zero);
  }

  approve(index: number, currencies: readonly string[]): void {
    const lines = new Map([...this.lines(index)].map(([key, { amount }]) => [key, amount]));
    const totals = new Map(currencies.map((currency) => [currency, this.totals(index, currency)]));
    const pay = this.findPay(index, currencies);
    this.approved.set(this.name(index), { lines, totals, pay, carried: this.paidCarried(index) });
  }

  reopen(index: number): void {
    this.approved.delete(this.name(index));
    this.corrections.delete(this.name(index));
    this.truedUp.delete(this.name(index));
  }

  correct(index: number, after: OracleEvent[], target: number | null, currencies: readonly string[]): void {
    const { name, to } = this.periods[index] as { name: string; to: string };
    const heldOn = target === null ? [to, this.today] : [this.periods[target]?.to ?? ''];
    const lines = computeCorrection(this.events.map(toGroup), after.map(toGroup), { lastDay: to, heldOn });
    const result = (currency: string) =>
      [...lines]
        .filter(([key]) => key.endsWith(currency))
        .reduce((total, [, amount]) => total.plus(amount), Decimal.zero);
    const statement = this.approved.get(name) as Statement;
    if (target === null) {
      const totals = currencies.map((currency): [string, PayTotals] => [
        currency,
        computeCorrectedTotals(this.totals(index, currency), {
          result: result(currency),
          balance: this.balance(currency),
          maxPercent: Decimal.of(this.maxPercent),
        }),
      ]);
      const range = this.periods[index] as DayRange;
      const pay =
        statement.pay === null
          ? null
          : correctPay(
              this.payTerms,
              statement.pay,
              range,
              totals.map(([, total]) => toStored(total)),
            );
      this.approved.set(name, { ...statement, totals: new Map(totals), pay });
      this.truedUp.set(name, [...(this.truedUp.get(name) ?? []), lines]);
    } else {
      this.carried.set(this.name(target), [...(this.carried.get(this.name(target)) ?? []), lines]);
    }
    this.corrections.set(name, [...(this.corrections.get(name) ?? []), lines]);
    this.events = after;
  }

  /** What corrections have paid, in the currency. */
  correctionAmounts(currency: string): Decimal[] {
    const unpaid = this.periods.flatMap((_, index) => inCurrency(this.unpaid(index), currency));
    return [
      ...[...this.corrections.values()].flat().flatMap((lines) => inCurrency(lines, currency)),
      ...unpaid.map((amount) => amount.negated()),
    ];
  }

  /** The lines of approved statements, and the corrections that approved statements have paid. */
  approvedAmounts(currency: string): Decimal[] {
    const lines = [...this.approved.values()].flatMap((statement) => inCurrency(statement.lines, currency));
    const carried = [...this.approved.values()]
      .flatMap((statement) => statement.carried)
      .flatMap((amounts) => inCurrency(amounts, currency));
    const truedUp = [...this.truedUp.values()].flat().flatMap((amounts) => inCurrency(amounts, currency));
    return [...lines, ...carried, ...truedUp];
  }

  /** What is earned until the end of the last period, and not released or held. */
  waiting(currency: string): Decimal {
    const lastDay = this.periods.at(-1)?.to ?? '';
    const groups = this.events.map(toGroup).filter((group) => group.currency === currency);
    return sum(
      groups.map((group) => {
        const released = computeReleased(group, lastDay);
        const paid = this.paid(group.key);
        const waits = isHeld(group, lastDay) && paid.isLessThan(released) ? paid : released;
        return computeEarned(group, lastDay).minus(waits);
      }),
    );
  }

  private paid(key: string): Decimal {
    const lines = this.periods.flatMap((_, index) => this.lines(index).get(key)?.amount ?? []);
    const corrected = [...this.corrections.values()].flat().flatMap((amounts) => amounts.get(key) ?? []);
    const unpaid = this.periods.flatMap((_, index) => this.unpaid(index).get(key)?.negated() ?? []);
    return sum([...lines, ...corrected, ...unpaid]);
  }

  isApproved(index: number): boolean {
    return this.approved.has(this.name(index));
  }

  private opening(index: number, currency: string): Decimal {
    const changes = (from: number, to: number) =>
      this.periods.slice(from, to).flatMap(({ name }) => this.approved.get(name)?.totals.get(currency) ?? []);
    return computeOpening(changes(0, index), changes(index + 1, this.periods.length));
  }

  private name(index: number): string {
    return this.periods[index]?.name ?? '';
  }
}

function inCurrency(amounts: GroupAmounts, currency: string): Decimal[] {
  return [...amounts].filter(([key]) => key.endsWith(currency)).map(([, amount]) => amount);
}

export const months = (...lastDays: string[]) => lastDays.map((lastDay) => ({ name: lastDay.slice(0, 7), lastDay }));

interface DealEvent {
  readonly key?: string;
  readonly amount: string;
  readonly closes: string;
  readonly payout?: OraclePayout | null;
  readonly deal?: string | null;
  readonly paid?: readonly (readonly [day: string, amount: string])[];
  readonly refunds?: { day: string; amount: string }[];
  readonly dates?: Record<string, string>;
  readonly gross?: readonly [net: string, gross: string];
  readonly holds?: { from: string; to: string | null }[];
  readonly takenBack?: { amount: string; day: string }[];
}

/** An event on a deal of 60,000 that pays as the customer pays, unless other terms are given. */
export function dealEvent(terms: DealEvent): OracleEvent {
  const { key = 'D USD', amount, closes, deal = '60000', paid = [], takenBack = [] } = terms;
  const [net, gross] = terms.gross ?? [deal ?? '0', null];
  return {
    key,
    currency: key.slice(-3),
    rows: [{ amount, day: closes }, ...takenBack],
    source: {
      closes,
      payout: terms.payout === undefined ? { schedule: [{ on: 'paid', percent: 100 }] } : terms.payout,
      deal: {
        amount: deal,
        dates: terms.dates ?? {},
        refunds: terms.refunds ?? [],
        invoices: [
          { amount: net, gross, status: 'open', payments: paid.map(([day, sent]) => ({ day, amount: sent })) },
        ],
      },
    },
    holds: terms.holds ?? [],
  };
}
