/**
 * What is paid of what is earned, written from the page of the money model and not from the service. Amounts are exact
 * fractions of whole numbers.
 */

interface Ratio {
  n: bigint;
  d: bigint;
}

function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a < 0n ? -a : a, b < 0n ? -b : b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x === 0n ? 1n : x;
}

function reduced(n: bigint, d: bigint): Ratio {
  const divisor = gcd(n, d);
  return d < 0n ? { n: -n / divisor, d: -d / divisor } : { n: n / divisor, d: d / divisor };
}

function fromText(text: string): Ratio {
  const [whole = '0', digits = ''] = text.replace('-', '').split('.');
  const n = BigInt(whole + digits);
  return reduced(text.startsWith('-') ? -n : n, 10n ** BigInt(digits.length));
}

const plus = (a: Ratio, b: Ratio) => reduced(a.n * b.d + b.n * a.d, a.d * b.d);
const minus = (a: Ratio, b: Ratio) => reduced(a.n * b.d - b.n * a.d, a.d * b.d);
const times = (a: Ratio, b: Ratio) => reduced(a.n * b.n, a.d * b.d);
const over = (a: Ratio, b: Ratio) => reduced(a.n * b.d, a.d * b.n);
const below = (a: Ratio, b: Ratio) => a.n * b.d < b.n * a.d;
const least = (...all: Ratio[]) => all.reduce((a, b) => (below(b, a) ? b : a));
const positive = (a: Ratio) => (a.n > 0n ? a : nil);
const absolute = (a: Ratio) => (a.n < 0n ? { n: -a.n, d: a.d } : a);
const nil: Ratio = { n: 0n, d: 1n };
const one: Ratio = { n: 1n, d: 1n };

function toCents(a: Ratio, places: number): Ratio {
  const scale = 10n ** BigInt(places);
  const scaled = absolute(a).n * scale * 2n;
  const units = (scaled + a.d) / (a.d * 2n);
  return reduced(a.n < 0n ? -units : units, scale);
}

export function money(a: Ratio, places = 2): string {
  const scale = 10n ** BigInt(places);
  const units = (absolute(a).n * scale) / a.d;
  const whole = `${units / scale}`;
  const rest = `${units % scale}`.padStart(places, '0');
  return `${a.n < 0n ? '-' : ''}${whole}${places === 0 ? '' : `.${rest}`}`;
}

/** A payout of a rule. */
export type OraclePayout =
  | { schedule: { on: string; percent: number; offsetDays?: number }[] }
  | { parts: number; everyMonths: number };

interface OracleDeal {
  amount: string | null;
  dates: Record<string, string>;
  refunds: { day: string; amount: string }[];
  invoices: {
    amount: string;
    gross: string | null;
    status: 'open' | 'void' | 'written_off';
    payments: { day: string; amount: string }[];
  }[];
}

interface OracleInput {
  amount: string;
  of: OracleEvent;
}

/** An event with what was taken back of it. */
export interface OracleEvent {
  key: string;
  currency: string;
  rows: { amount: string; day: string }[];
  /** Whole: an adjustment or a clawback; gone: the source no longer exists. */
  source: 'whole' | { closes: string; payout: OraclePayout | null; deal: OracleDeal } | { inputs: OracleInput[] };
  holds: { from: string; to: string | null }[];
}

function later(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}

function monthsLater(day: string, months: number): string {
  const [year = 0, month = 0, dayOfMonth = 0] = day.split('-').map(Number);
  const lastDay = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 + months, Math.min(dayOfMonth, lastDay))).toISOString().slice(0, 10);
}

/** The share S of an event on a day. */
function share(event: OracleEvent, day: string): Ratio {
  const { source } = event;
  if (source === 'whole') return one;
  if ('inputs' in source) {
    const weights = source.inputs.map((input) => absolute(fromText(input.amount))).reduce(plus, nil);
    if (weights.n === 0n) return one;
    const weighted = source.inputs.map((input) => times(absolute(fromText(input.amount)), share(input.of, day)));
    return over(weighted.reduce(plus, nil), weights);
  }
  return shareOfDeal(source, day);
}

interface DealSource {
  closes: string;
  payout: OraclePayout | null;
  deal: OracleDeal;
}

function shareOfDeal({ closes, payout, deal }: DealSource, day: string): Ratio {
  if (deal.amount !== null && fromText(deal.amount).n <= 0n) return one;
  if (payout === null) return closes <= day ? one : nil;
  if ('parts' in payout) {
    const days = Array.from({ length: payout.parts }, (_, part) => monthsLater(closes, part * payout.everyMonths));
    return reduced(BigInt(days.filter((due) => due <= day).length), BigInt(payout.parts));
  }
  const parts = payout.schedule.map(({ on, percent, offsetDays = 0 }) => {
    const weight = over(fromText(String(percent)), { n: 100n, d: 1n });
    return times(weight, partOf({ on, offset: offsetDays, closes, deal }, day));
  });
  return parts.reduce(plus, nil);
}

interface Part {
  on: string;
  offset: number;
  closes: string;
  deal: OracleDeal;
}

function partOf({ on, offset, closes, deal }: Part, day: string): Ratio {
  if (on === 'paid') return paidShare(deal, offset, day);
  if (on === 'paid_in_full') return below(paidShare(deal, offset, day), one) ? nil : one;
  const date = on === 'close' ? closes : deal.dates[on];
  return date !== undefined && later(date, offset) <= day ? one : nil;
}

function paidShare({ amount, invoices, refunds }: OracleDeal, offset: number, day: string): Ratio {
  if (amount === null) return one;
  const paid = invoices
    .filter(({ status }) => status !== 'void')
    .flatMap((invoice) => {
      const net = invoice.gross === null ? one : over(fromText(invoice.amount), fromText(invoice.gross));
      const counted = invoice.payments.filter((payment) => later(payment.day, offset) <= day);
      return counted.map((payment) => times(fromText(payment.amount), net));
    })
    .reduce(plus, nil);
  if (paid.n <= 0n) return nil;
  const full = fromText(amount);
  const refunded = refunds.filter((refund) => refund.day <= day).map((refund) => fromText(refund.amount));
  const left = minus(full, refunded.reduce(plus, nil));
  return least(one, over(paid, left.n > 0n ? left : full));
}

const places = (currency: string) => (currency === 'JPY' ? 0 : 2);

/** Cum(t): what is released of an event on a day, rounded once. */
function cumulated(event: OracleEvent | undefined, day: string): Ratio {
  if (event === undefined) return nil;
  const earned = event.rows.filter((row) => row.day <= day).map((row) => fromText(row.amount));
  return toCents(times(earned.reduce(plus, nil), share(event, day)), places(event.currency));
}

export function earned(event: OracleEvent, day: string): Ratio {
  return event.rows
    .filter((row) => row.day <= day)
    .map((row) => fromText(row.amount))
    .reduce(plus, nil);
}

/** One unit of `from` is `rate` units of `to` from the day on. */
export interface OracleRate {
  from: string;
  to: string;
  day: string;
  rate: string;
}

/** The most direct rate on a day: the stored pair, otherwise the inverse of the opposite one; not older than 45 days. */
function rateOn(rates: readonly OracleRate[], from: string, to: string, day: string): Ratio | null {
  const latest = (a: string, b: string) => {
    const known = rates.filter((rate) => rate.from === a && rate.to === b && rate.day <= day);
    const last = known.sort((one, other) => (one.day < other.day ? 1 : -1))[0];
    return last === undefined || later(last.day, 45) < day ? null : fromText(last.rate);
  };
  const direct = latest(from, to);
  if (direct !== null) return direct;
  const opposite = latest(to, from);
  return opposite === null ? null : over(one, opposite);
}

type Lines = Map<string, Ratio>;

const sumIn = (lines: Lines, currency: string) =>
  [...lines]
    .filter(([key]) => key.endsWith(currency))
    .map(([, amount]) => amount)
    .reduce(plus, nil);

interface Totals {
  added: Ratio;
  recovered: Ratio;
  payable: Ratio;
}

interface OraclePeriod {
  name: string;
  lastDay: string;
  /** The lines and totals by currency of the approved statement; null while it is open. */
  approved: { lines: Lines; carried: Lines[]; totals: Map<string, Totals>; rates: Map<string, Ratio> } | null;
  /** The lines of the corrections of this period. */
  corrections: Lines[];
  /** The lines of corrections that this period pays for an earlier one. */
  carried: Lines[];
}

/** The statements of one person in one world, which decides by days and never by the order of entry. */
export class OraclePayables {
  readonly periods: OraclePeriod[];
  events: OracleEvent[] = [];
  /** The currency in which the person is paid, and the rates that are stored now. */
  payCurrency = 'GBP';
  rates: OracleRate[] = [];
  /** The day on which approved periods are corrected. */
  today = '2026-12-31';

  constructor(
    periods: readonly { name: string; lastDay: string }[],
    private readonly maxPercent: number,
  ) {
    this.periods = periods.map((period) => ({ ...period, approved: null, corrections: [], carried: [] }));
  }

  /** The lines of a period: of an approved one as they were approved. */
  lines(index: number): Lines {
    const before: Lines = new Map();
    const put = (key: string, amount: Ratio) => before.set(key, plus(before.get(key) ?? nil, amount));
    for (let earlier = 0; ; earlier += 1) {
      const period = this.at(earlier);
      for (const [key, amount] of this.unpaid(earlier)) put(key, minus(nil, amount));
      const lines = period.approved?.lines ?? this.openLines(period.lastDay, before);
      if (earlier === index) return lines;
      for (const [key, amount] of lines) put(key, amount);
      for (const correction of period.corrections) for (const [key, amount] of correction) put(key, amount);
    }
  }

  /** What is carried into a period, without what is held on its last day. */
  private paidCarried(index: number): Lines[] {
    const { approved, carried, lastDay } = this.at(index);
    return approved?.carried ?? carried.map((lines) => this.withoutHeld(lines, this.events, [lastDay]));
  }

  private unpaid(index: number): [string, Ratio][] {
    const paid = this.paidCarried(index);
    return this.at(index).carried.flatMap((lines, at) => [...lines].filter(([key]) => paid[at]?.has(key) !== true));
  }

  /** A correction of a held deal is held: what it would pay is in the first statement without the hold. */
  private withoutHeld(lines: Lines, events: readonly OracleEvent[], days: readonly string[]): Lines {
    const isHeld = (key: string) =>
      events
        .filter((event) => event.key === key)
        .some(({ holds }) => holds.some(({ from, to }) => days.some((day) => from <= day && (to ?? '9999') >= day)));
    return new Map([...lines].filter(([key, amount]) => amount.n < 0n || !isHeld(key)));
  }

  private openLines(lastDay: string, before: Lines): Lines {
    const lines: Lines = new Map();
    for (const key of new Set([...before.keys(), ...this.events.map((event) => event.key)])) {
      const event = this.events.find((candidate) => candidate.key === key);
      const due = minus(cumulated(event, lastDay), before.get(key) ?? nil);
      const isHeld = event?.holds.some(({ from, to }) => from <= lastDay && (to ?? '9999') >= lastDay);
      if (due.n !== 0n && !(due.n > 0n && isHeld === true)) lines.set(key, due);
    }
    return lines;
  }

  totals(index: number, currency: string): Totals {
    const period = this.at(index);
    const fixed = period.approved?.totals.get(currency);
    if (period.approved !== null) return fixed ?? { added: nil, recovered: nil, payable: nil };
    const own = [...this.lines(index)].filter(([key]) => key.endsWith(currency)).map(([, amount]) => amount);
    const gains = own.filter((amount) => amount.n > 0n).reduce(plus, nil);
    const losses = own.filter((amount) => amount.n < 0n).reduce(plus, nil);
    const results = this.paidCarried(index)
      .map((carried) => sumIn(carried, currency))
      .reduce(plus, nil);
    const credit = positive(results);
    const added = plus(absolute(losses), positive(minus(nil, results)));
    const owed = plus(this.opening(index, currency), added);
    const available = plus(gains, credit);
    const recovered = least(owed, this.share(available, currency), available);
    return { added, recovered, payable: minus(available, recovered) };
  }

  opening(index: number, currency: string): Ratio {
    let balance = nil;
    let overall = nil;
    this.periods.forEach((period, other) => {
      const totals = period.approved?.totals.get(currency);
      if (totals === undefined || other === index) return;
      if (other < index) balance = plus(balance, totals.added);
      balance = minus(balance, totals.recovered);
      overall = minus(plus(overall, totals.added), totals.recovered);
    });
    if (balance.n >= 0n) return balance;
    // What later periods recovered of their own is no credit; what true-ups kept for a statement that is open again is one.
    return overall.n < 0n ? (below(balance, overall) ? overall : balance) : nil;
  }

  balance(currency: string): Ratio {
    return positive(this.opening(this.periods.length, currency));
  }

  approve(index: number, currencies: readonly string[]): void {
    const lines = this.lines(index);
    const totals = new Map(currencies.map((currency) => [currency, this.totals(index, currency)]));
    const rates = currencies.flatMap((currency) => {
      const rate = this.rateNow(index, currency);
      return rate === null ? [] : [[currency, rate] as const];
    });
    this.at(index).approved = { lines, carried: this.paidCarried(index), totals, rates: new Map(rates) };
  }

  private rateNow(index: number, currency: string): Ratio | null {
    return currency === this.payCurrency ? one : rateOn(this.rates, currency, this.payCurrency, this.at(index).lastDay);
  }

  /** What is paid: each earned currency at the rate of the approval, rounded, and added up. Null if a rate is missing. */
  pay(index: number, currencies: readonly string[]): Ratio | null {
    let sum = nil;
    for (const currency of currencies) {
      const { payable } = this.totals(index, currency);
      const rate = this.at(index).approved?.rates.get(currency) ?? this.rateNow(index, currency);
      if (rate === null && payable.n !== 0n) return null;
      if (rate !== null) sum = plus(sum, toCents(times(payable, rate), places(this.payCurrency)));
    }
    return sum;
  }

  reopen(index: number): void {
    this.at(index).approved = null;
    this.at(index).corrections = [];
  }

  /**
   * Replaces the events of an approved period, and pays the difference there or in a later open period. A true-up that pays
   * an amount without a rate is rejected: it changes nothing, and the result is false.
   */
  correct(index: number, after: OracleEvent[], target: number | null, currencies: readonly string[]): boolean {
    const period = this.at(index);
    const all: Lines = new Map();
    for (const key of new Set([...this.events, ...after].map((event) => event.key))) {
      const [was, is] = [this.events, after].map((events) => events.find((event) => event.key === key));
      const difference = minus(cumulated(is, period.lastDay), cumulated(was, period.lastDay));
      if (difference.n !== 0n) all.set(key, difference);
    }
    const lines = this.withoutHeld(
      all,
      after,
      target === null ? [period.lastDay, this.today] : [this.at(target).lastDay],
    );
    const results = new Map(currencies.map((currency) => [currency, sumIn(lines, currency)]));
    if (target !== null) this.at(target).carried.push(lines);
    else if (currencies.some((currency) => this.lacksRate(index, currency, results.get(currency) ?? nil))) return false;
    else for (const currency of currencies) this.trueUp(index, currency, results.get(currency) ?? nil);
    period.corrections.push(lines);
    this.events = after;
    return true;
  }

  private lacksRate(index: number, currency: string, result: Ratio): boolean {
    const { approved } = this.at(index);
    if (approved?.rates.has(currency) === true || this.rateNow(index, currency) !== null) return false;
    const gain = positive(result);
    return minus(gain, least(this.balance(currency), this.share(gain, currency))).n !== 0n;
  }

  private trueUp(index: number, currency: string, result: Ratio): void {
    const { approved } = this.at(index);
    const totals = approved?.totals.get(currency);
    if (approved === null || totals === undefined) throw new Error('only approved periods are trued up');
    const gain = positive(result);
    const recovered = least(this.balance(currency), this.share(gain, currency));
    const rate = this.rateNow(index, currency);
    if (rate !== null && !approved.rates.has(currency)) approved.rates.set(currency, rate);
    approved.totals.set(currency, {
      added: plus(totals.added, minus(gain, result)),
      recovered: plus(totals.recovered, recovered),
      payable: plus(totals.payable, minus(gain, recovered)),
    });
  }

  private share(amount: Ratio, currency: string): Ratio {
    const percent = over(fromText(String(this.maxPercent)), { n: 100n, d: 1n });
    return toCents(times(amount, percent), places(currency));
  }

  private at(index: number): OraclePeriod {
    const period = this.periods[index];
    if (period === undefined) throw new RangeError(`no period ${index}`);
    return period;
  }
}

export const add = plus;
export const isNegative = (amount: Ratio): boolean => amount.n < 0n;
export const zero = nil;
