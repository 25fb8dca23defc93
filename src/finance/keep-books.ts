import { type ExchangeRate } from '../engine/exchange-rates.js';
import { addTo } from '../kernel/add-to.js';
import { roundToCurrency } from '../kernel/currency.js';
import { type Day } from '../kernel/day.js';
import { Decimal, maximum, minimum, sum } from '../kernel/decimal.js';
import { groupBy } from '../kernel/group-by.js';
import { type AccountRole, contraAccounts, type EntryKind, lateKinds } from './accounts.js';
import { type BookCalendar } from './book-calendar.js';
import { deriveLineId, type JournalLine } from './journal-line.js';
import { type Month, previousMonth } from './month.js';
import { kindOfSource, type Movement, noOrigin, type Origin } from './movement.js';

/** An amount in the currency of the entity at the rate of a day, rounded once; null without a rate. */
export type Convert = (amount: Decimal, currency: string, day: Day) => Decimal | null;

/** An exchange rate as an exact quotient. */
export type Rate = Pick<ExchangeRate, 'numerator' | 'denominator'>;

/** The rate of a currency into that of the entity on a day; null without one. */
export type FindRate = (currency: string, day: Day) => Rate | null;

export const frameworks = ['us_gaap', 'ifrs', 'frs102'] as const;
export type Framework = (typeof frameworks)[number];

/** The entity whose books are kept. */
export interface Entity {
  readonly framework: Framework;
  readonly code: string;
  readonly currency: string;
  /** The employer's payroll tax in percent, the latest day first. */
  readonly payrollTax: readonly { readonly from: Day; readonly percent: string }[];
}

/** What a person owes and the company no longer expects. */
export interface AgreedWriteOff {
  readonly currency: string;
  readonly amount: Decimal;
  readonly day: Day;
}

/** What is expected at the end of a month, and not in the ledger. */
export interface Estimate {
  readonly month: Month;
  readonly source: string;
  readonly currency: string;
  readonly amount: Decimal;
  /** The cost that is expected will be an asset. */
  readonly isAsset: boolean;
  readonly origin: Origin;
}

export interface BooksInput {
  readonly workspaceId: string;
  readonly repId: string;
  readonly entity: Entity;
  readonly movements: readonly Movement[];
  readonly writeOffs: readonly AgreedWriteOff[];
  readonly estimates: readonly Estimate[];
  /** The lines of the months that are closed. */
  readonly posted: readonly JournalLine[];
  /** The months that are open, in their order, from the first one on. */
  readonly months: readonly Month[];
  readonly calendar: BookCalendar;
  readonly convert: Convert;
  /** The only month has what was before the books began. */
  readonly isOpening?: true;
}

export interface Books {
  readonly lines: readonly JournalLine[];
  /** The days and currencies for which there is no rate. Their values are zero. */
  readonly missingRates: readonly { readonly currency: string; readonly day: Day }[];
}

/**
 * The journal lines of one person in the months that are open. The first one takes the difference of what is known now of
 * the closed months from what was posted in them, so that all journals together are always what is known now.
 */
export function keepBooks(input: BooksInput): Books {
  const movements = input.movements.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : Number(keyOf(a) > keyOf(b))));
  const keeper = new BookKeeper({ ...input, movements });
  for (const [index, month] of input.months.entries()) keeper.keep(month, index === 0);
  return { lines: keeper.lines, missingRates: keeper.missingRates };
}

function keyOf({ day, source, amount, draws, asset }: Movement): string {
  return `${day}|${source}|${amount.toString()}|${draws.toString()}|${asset.toString()}`;
}

type Sums = Map<string, Decimal>;

/** A part of an entry: one account in one currency. */
interface Posting {
  readonly account: AccountRole;
  readonly amount: Decimal;
  readonly value: Decimal;
}

type MovedAmounts = Readonly<Record<'amount' | 'value' | 'draws' | 'drawsValue' | 'asset', Decimal>>;

interface EntryHead {
  readonly month: Month;
  readonly day: Day;
  readonly kind: EntryKind;
  readonly source: string;
  readonly currency: string;
  readonly late: boolean;
  readonly origin: Origin;
}

class BookKeeper {
  readonly lines: JournalLine[] = [];
  readonly missingRates: { currency: string; day: Day }[] = [];
  /** What the accounts contain after the lines so far, by account and currency. */
  private readonly amounts: Sums = new Map();
  private readonly values: Sums = new Map();
  /** The tax that is accrued on what the person is owed, by the currency of what is owed. */
  private readonly taxes: Sums = new Map();

  constructor(private readonly input: BooksInput) {
    for (const line of input.posted) this.carry(line);
  }

  keep(month: Month, isFirst: boolean): void {
    const { from, to } = this.input.calendar.range(month);
    if (this.input.isOpening) return this.open(month);
    this.reverseEstimates(month);
    if (isFirst) this.postLate(month);
    const own = this.input.movements.filter(({ day }) => from <= day && day <= to);
    const bySource = groupBy(own, ({ source, currency, kind }) => `${source}|${currency}|${kind}`);
    for (const movements of bySource.values()) this.post(month, movements);
    this.postEstimates({ month, day: to });
    this.endMonth({ month, day: to });
  }

  private endMonth(last: { readonly month: Month; readonly day: Day }): void {
    for (const currency of this.currencies()) {
      this.postWriteOff(last, currency);
      this.postReceivable(last, currency);
      this.postExchange(last, currency);
      this.postPayrollTax(last, currency);
    }
  }

  /** What moved until the end of the month, as one entry for each subject of which something is left. */
  private open(month: Month): void {
    const { to } = this.input.calendar.range(month);
    const known = this.input.movements.filter(({ day }) => day <= to);
    for (const movements of groupBy(known, ({ source, currency }) => `${source}|${currency}`).values()) {
      const last = movements.at(-1) as Movement;
      const amount = sum(movements.map((each) => each.amount));
      const draws = sum(movements.map((each) => each.draws));
      const asset = sum(movements.map((each) => each.asset));
      const [value, drawsValue] = [amount, draws].map((each) => this.convert(each, last.currency, to));
      const head = { month, day: to, kind: 'opening' as const, late: false, ...identify(last) };
      this.postMovement(head, 'opening_balance', { amount, draws, value, drawsValue, asset } as MovedAmounts);
    }
    this.endMonth({ month, day: to });
  }

  private post(month: Month, movements: readonly Movement[]): void {
    const [first] = movements as readonly [Movement, ...Movement[]];
    const amount = sum(movements.map((each) => each.amount));
    const draws = sum(movements.map((each) => each.draws));
    const value = sum(movements.map((each) => this.convert(each.amount, each.currency, each.day)));
    const drawsValue = sum(movements.map((each) => this.convert(each.draws, each.currency, each.day)));
    const day = first.kind === 'payment' ? first.day : this.input.calendar.range(month).to;
    const head = { month, day, kind: first.kind, late: false, ...identify(first) };
    const asset = sum(movements.map((each) => each.asset));
    this.postMovement(head, contraOf(first), { amount, value, draws, drawsValue, asset });
    if (first.kind === 'payment') this.payTax(head, first.day, value);
  }

  /** The difference of what moved in closed months from what they posted. */
  private postLate(month: Month): void {
    const { movements, posted } = this.input;
    const { from } = this.input.calendar.range(month);
    const known = groupBy(
      movements.filter(({ day }) => day < from),
      ({ source, currency }) => `${source}|${currency}`,
    );
    const lines = groupBy(
      posted.filter(({ account }) => movedAccounts.has(account)),
      ({ source, currency }) => `${source}|${currency}`,
    );
    for (const key of [...new Set([...known.keys(), ...lines.keys()])].sort()) {
      const [now, then] = [known.get(key) ?? [], lines.get(key) ?? []];
      const amount = sum(now.map((each) => each.amount)).plus(sumOf(then, 'accrued_commission'));
      const draws = sum(now.map((each) => each.draws)).minus(sumOf(then, 'draws_receivable'));
      const asset = sum(now.map((each) => each.asset)).minus(valueOn(then, 'contract_cost'));
      if (amount.isZero() && draws.isZero() && asset.isZero()) continue;
      this.postDifference(month, now.at(-1) ?? toMovement(then), { amount, draws, asset });
    }
  }

  private postDifference(
    month: Month,
    movement: Movement | null,
    moved: Pick<Movement, 'amount' | 'draws' | 'asset'>,
  ): void {
    if (movement === null) return;
    const { kind, day, currency } = movement;
    const { amount, draws, asset } = moved;
    const head: EntryHead = {
      month,
      day: this.input.calendar.range(month).from,
      kind: lateKinds[kind],
      late: true,
      ...identify(movement),
    };
    const value = this.convert(amount, currency, day);
    this.postMovement(head, contraOf(movement), {
      amount,
      value,
      draws,
      asset,
      drawsValue: this.convert(draws, currency, day),
    });
    if (kind === 'payment') this.payTax(head, day, value);
  }

  /**
   * The asset is worth its cost, whatever the currency is in which it was earned. If the row is an asset, the asset carries
   * the earned amount, and the rest of the value is expense.
   */
  private postMovement(
    head: EntryHead,
    contra: AccountRole,
    { amount, value, draws, drawsValue, asset }: MovedAmounts,
  ): void {
    const rest = amount.minus(draws);
    const isOwn = head.currency === this.input.entity.currency;
    const carried = isOwn ? asset : asset.isZero() ? Decimal.zero : rest;
    this.postEntry(head, [
      { account: 'accrued_commission', amount: amount.negated(), value: value.negated() },
      { account: 'draws_receivable', amount: draws, value: drawsValue },
      { account: 'contract_cost', amount: carried, value: asset },
      { account: contra, amount: rest.minus(carried), value: value.minus(drawsValue).minus(asset) },
    ]);
  }

  /** What was estimated for the month before, exactly as it was posted. */
  private reverseEstimates(month: Month): void {
    const before = [...this.input.posted, ...this.lines].filter(
      (line) => line.kind === 'estimate' && line.month === previousMonth(month),
    );
    const { from } = this.input.calendar.range(month);
    for (const lines of groupBy(before, ({ source, currency }) => `${source}|${currency}`).values()) {
      const [{ source, currency, dealId, planId, ruleName, period, batchId, drawId }] = lines as [JournalLine];
      const origin = { dealId, planId, ruleName, period, batchId, drawId };
      this.postEntry(
        { month, day: from, kind: 'estimate_reversal', source, currency, late: false, origin },
        lines.map(({ account, amount, value }) => ({ account, amount: amount.negated(), value: value.negated() })),
      );
    }
  }

  private postEstimates(last: { readonly month: Month; readonly day: Day }): void {
    const ofMonth = this.input.estimates.filter(({ month }) => month === last.month);
    for (const { source, currency, amount, isAsset, origin } of ofMonth) {
      const value = this.convert(amount, currency, last.day);
      this.postEntry({ ...last, kind: 'estimate', source, currency, late: false, origin }, [
        { account: isAsset ? 'contract_cost_estimate' : 'commission_expense', amount, value },
        { account: 'accrued_estimate', amount: amount.negated(), value: value.negated() },
      ]);
    }
  }

  /** A payment moves the tax on it to the account in which the entry of payroll meets it. */
  private payTax(head: EntryHead, day: Day, value: Decimal): void {
    const tax = this.taxOn(value.negated(), day);
    const { currency } = this.input.entity;
    this.postEntry({ ...head, kind: 'payroll_tax', currency, source: `tax|${head.currency}|${head.source}` }, [
      { account: 'accrued_payroll_tax', amount: tax, value: tax },
      { account: 'payroll_tax_clearing', amount: tax.negated(), value: tax.negated() },
    ]);
  }

  /** At most what the person owes without it is written off: what they earn or repay later is income. */
  private postWriteOff(last: { readonly month: Month; readonly day: Day }, currency: string): void {
    const agreed = this.input.writeOffs.filter((each) => each.currency === currency && each.day <= last.day);
    const before = this.amountOf('write_off_expense', currency);
    const debt = maximum(before.minus(this.owedIn(currency)), Decimal.zero);
    const amount = minimum(sum(agreed.map((each) => each.amount)), debt).minus(before);
    const value = this.convert(amount, currency, last.day);
    this.postEntry({ ...last, kind: 'write_off', source: 'write_off', currency, late: false, origin: noOrigin }, [
      { account: 'write_off_expense', amount, value },
      { account: 'accrued_commission', amount: amount.negated(), value: value.negated() },
    ]);
  }

  /** What the person owes is a receivable, and is not netted against what others are owed. */
  private postReceivable(last: { readonly month: Month; readonly day: Day }, currency: string): void {
    const owed = this.owedIn(currency);
    const target = maximum(owed.negated(), Decimal.zero);
    const amount = target.minus(this.amountOf('commission_receivable', currency));
    const value = this.convert(amount, currency, last.day);
    this.postEntry({ ...last, kind: 'receivable', source: 'receivable', currency, late: false, origin: noOrigin }, [
      { account: 'commission_receivable', amount, value },
      { account: 'accrued_commission', amount: amount.negated(), value: value.negated() },
    ]);
  }

  /** Monetary balances are worth their amount at the rate of the last day; the difference is a gain or a loss. */
  private postExchange(last: { readonly month: Month; readonly day: Day }, currency: string): void {
    if (currency === this.input.entity.currency) return;
    const accounts = ['accrued_commission', 'commission_receivable', 'draws_receivable'] as const;
    const postings = accounts.map((account): Posting => {
      const worth = this.convert(this.amountOf(account, currency), currency, last.day);
      const value = worth.minus(this.values.get(`${account}|${currency}`) ?? Decimal.zero);
      return { account, amount: Decimal.zero, value };
    });
    const result = sum(postings.map(({ value }) => value)).negated();
    this.postEntry({ ...last, kind: 'exchange', source: 'exchange', currency, late: false, origin: noOrigin }, [
      ...postings,
      { account: 'fx_gain_loss', amount: Decimal.zero, value: result },
    ]);
  }

  /** The tax on what is owed at the end of the month. Payments took theirs from it; the rest of the change is expense. */
  private postPayrollTax(last: { readonly month: Month; readonly day: Day }, earnedCurrency: string): void {
    const owed = maximum(this.owedIn(earnedCurrency), Decimal.zero);
    const target = this.taxOn(this.convert(owed, earnedCurrency, last.day), last.day);
    const change = target.minus(this.taxes.get(earnedCurrency) ?? Decimal.zero);
    const { currency } = this.input.entity;
    const source = `tax|${earnedCurrency}`;
    const kind = this.input.isOpening ? ('opening' as const) : ('payroll_tax' as const);
    const contra = this.input.isOpening ? 'opening_balance' : 'payroll_tax_expense';
    this.postEntry({ ...last, kind, source, currency, late: false, origin: noOrigin }, [
      { account: contra, amount: change, value: change },
      { account: 'accrued_payroll_tax', amount: change.negated(), value: change.negated() },
    ]);
  }

  private taxOn(value: Decimal, day: Day): Decimal {
    const { entity } = this.input;
    return percentOf(value, percentOn(entity, day), entity.currency);
  }

  private postEntry({ origin, ...head }: EntryHead, postings: readonly Posting[]): void {
    const { workspaceId, repId, entity } = this.input;
    const ref = head.late ? `${head.source}|late` : head.source;
    const entry = { ...head, ...origin, ref, repId, entity: entity.code };
    for (const { account, amount, value } of postings) {
      if (amount.isZero() && value.isZero()) continue;
      const line = { ...entry, account, amount, value, lineId: deriveLineId(workspaceId, entry, account) };
      this.lines.push(line);
      this.carry(line);
    }
  }

  private carry({ account, currency, source, amount, value }: JournalLine): void {
    addTo(this.amounts, `${account}|${currency}`, amount);
    addTo(this.values, `${account}|${currency}`, value);
    const taxed = account === 'accrued_payroll_tax' ? /^tax\|([A-Z]{3})/.exec(source)?.[1] : undefined;
    if (taxed !== undefined) addTo(this.taxes, taxed, amount.negated());
  }

  private amountOf(account: AccountRole, currency: string): Decimal {
    return this.amounts.get(`${account}|${currency}`) ?? Decimal.zero;
  }

  /** What the person is owed; negative if they owe. */
  private owedIn(currency: string): Decimal {
    const accounts = ['accrued_commission', 'commission_receivable'] as const;
    return sum(accounts.map((account) => this.amountOf(account, currency))).negated();
  }

  private currencies(): string[] {
    const monetary = /^(accrued_commission|commission_receivable|draws_receivable)\|(.*)$/;
    return [...new Set([...this.amounts.keys()].flatMap((key) => monetary.exec(key)?.[2] ?? []))].sort();
  }

  private convert(amount: Decimal, currency: string, day: Day): Decimal {
    if (amount.isZero() || currency === this.input.entity.currency) return amount;
    const value = this.input.convert(amount, currency, day);
    if (value === null) this.missingRates.push({ currency, day });
    return value ?? Decimal.zero;
  }
}

/** The employer's payroll tax on the day, in percent. */
export function percentOn({ payrollTax }: Pick<Entity, 'payrollTax'>, day: Day): Decimal {
  return Decimal.of(payrollTax.find(({ from }) => from <= day)?.percent ?? '0');
}

export function percentOf(value: Decimal, percent: Decimal, currency: string): Decimal {
  return roundToCurrency(value.times(percent).dividedBy(Decimal.of(100)), currency);
}

function identify({ source, currency, origin }: Movement): Pick<EntryHead, 'source' | 'currency' | 'origin'> {
  return { source, currency, origin };
}

function sumOf(lines: readonly JournalLine[], account: AccountRole): Decimal {
  return sum(lines.filter((line) => line.account === account).map(({ amount }) => amount));
}

/** The movement that the lines have posted, of which nothing is left. */
function toMovement(lines: readonly JournalLine[]): Movement | null {
  const [line] = lines.filter(({ source }) => kindOfSource(source) !== null);
  if (line === undefined) return null;
  const { source, day, currency, dealId, planId, ruleName, period, batchId, drawId } = line;
  const origin = { dealId, planId, ruleName, period, batchId, drawId };
  const kind = kindOfSource(source) as Movement['kind'];
  return { kind, source, day, currency, amount: Decimal.zero, draws: Decimal.zero, asset: Decimal.zero, origin };
}

/** What lines of these accounts say is what movements have posted. */
const movedAccounts: ReadonlySet<AccountRole> = new Set(['accrued_commission', 'draws_receivable', 'contract_cost']);

function contraOf({ kind, isUnassigned }: Movement): AccountRole {
  return isUnassigned ? 'unassigned' : contraAccounts[kind];
}

function valueOn(lines: readonly JournalLine[], account: AccountRole): Decimal {
  return sum(lines.filter((line) => line.account === account).map(({ value }) => value));
}
