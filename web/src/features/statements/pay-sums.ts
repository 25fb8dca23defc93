import { type TeamStatement } from '../../api/team-queries.js';
import { signOf, sumAmounts } from '../../shared/format/exact.js';
import { formatMoney } from '../../shared/format/numbers.js';

/** An exact amount of one currency. Amounts of several currencies are never added. */
export interface Sum {
  readonly currency: string;
  readonly amount: string;
}

type Paid = Pick<TeamStatement, 'currency' | 'summary' | 'otherCurrencies' | 'payslip'>;

/** What a statement pays by currency: without payouts, what it earns. */
function listPaid(statement: Paid): readonly Amount[] {
  return statement.payslip?.pays ?? listEarned(statement);
}

function listEarned({ currency, summary, otherCurrencies }: Paid): readonly Amount[] {
  return [{ currency, summary }, ...otherCurrencies].map((earned) => ({
    currency: earned.currency,
    amount: earned.summary.netPayout,
  }));
}

/** What a statement pays in the currency of the person, for the order of a list. */
export function paidAmount(statement: Paid): number {
  return Number(listPaid(statement)[0]?.amount ?? 0);
}

/** What the statements pay by currency, the given currency first. It has a sum even if it is zero. */
export function netSums(statements: readonly Paid[], first: string): readonly Sum[] {
  return sumByCurrency(statements.flatMap(listPaid), first);
}

/** What an amount of the ledger pays: what is payable, or without payouts what is earned. */
export function paidOf({ payable, netPayout }: Pick<TeamStatement['summary'], 'payable' | 'netPayout'>): number {
  return payable ?? netPayout;
}

/** What the ledger would pay now; undefined for a statement that equals it. */
export function livePaid({
  livePayable,
  liveNetPayout,
}: Pick<TeamStatement, 'livePayable' | 'liveNetPayout'>): number | undefined {
  return livePayable ?? liveNetPayout;
}

type Summed = Pick<TeamStatement, 'currency' | 'summary'>;

/** What the service has added up of many statements, by currency. */
export function servedSums(sums: readonly Summed[], first: string): readonly Sum[] {
  return sumByCurrency(
    sums.map(({ currency, summary }) => ({ currency, amount: paidOf(summary) })),
    first,
  );
}

/** What the statements earn by currency, whether it is paid or not. */
export function earnedSums(statements: readonly Paid[], first: string): readonly Sum[] {
  return sumByCurrency(statements.flatMap(listEarned), first);
}

/** Whether the statements pay what is payable, and not what is earned. */
export function hasPayouts(statements: readonly Pick<Paid, 'payslip'>[]): boolean {
  return statements.some(({ payslip }) => payslip !== undefined);
}

interface Amount {
  readonly currency: string;
  readonly amount: string | number | null;
}

/** The sums by currency, the given currency first. It has a sum even if it is zero. */
export function sumByCurrency(amounts: readonly Amount[], first: string): readonly Sum[] {
  const others = [...new Set(amounts.map(({ currency }) => currency))].filter((currency) => currency !== first).sort();
  return [first, ...others].map((currency) => ({
    currency,
    amount: sumAmounts(amounts.filter((each) => each.currency === currency).map(({ amount }) => amount ?? 0)),
  }));
}

/** Leaves out currencies whose sum is zero. */
export function present(sums: readonly Sum[]): readonly Sum[] {
  return sums.filter(({ amount }) => signOf(amount) !== 0);
}

/** Sums with something to say: those that are not zero, or the first one. */
export function visibleSums(sums: readonly Sum[]): readonly Sum[] {
  const visible = present(sums);
  return visible.length === 0 ? sums.slice(0, 1) : visible;
}

/** The sums in words, such as "$5.00", or "USD 5.00 + EUR 3.00". */
export function sumWords(sums: readonly Sum[], joint = ' + ', signed = false): string {
  const visible = visibleSums(sums);
  const unit = visible.length > 1 ? 'code' : 'symbol';
  return visible.map(({ amount, currency }) => formatMoney(amount, currency, { unit, signed })).join(joint);
}
