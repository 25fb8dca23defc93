/** How long a lot is amortised, from which day on. Amounts are in the smallest unit of a currency, months are counted. */
export interface LotTerms {
  readonly length: { readonly months: number } | { readonly until: string };
  readonly convention: 'full_month' | 'next_month' | 'daily';
  /** Null: the day on which the row is earned. */
  readonly start: string | null;
}

interface Amount {
  readonly day: string;
  readonly amount: number;
}

/** What is known of a lot. */
export interface LotFacts {
  readonly id: string;
  readonly earnedOn: string;
  /** The cost and the terms of a month, as the closings store them and as they are now. */
  readonly costIn: (month: number) => number;
  readonly termsIn: (month: number) => LotTerms;
  readonly dealAmount: number;
  readonly refunds: readonly Amount[];
  readonly terminatedOn: string | null;
  readonly takenBack: readonly Amount[];
}

/** What a month does to a lot, and what is left after it. */
interface LotMonth {
  readonly amortised: number;
  readonly clawedBack: number;
  readonly impaired: number;
  /** What the ledger takes back beyond the asset. */
  readonly beyond: number;
  readonly carrying: number;
}

export interface LotTest {
  readonly month: number;
  /** Remaining consideration less remaining cost. */
  readonly value: number;
}

export const monthNumber = (text: string) => Number(text.slice(0, 4)) * 12 + Number(text.slice(5, 7)) - 1;
export const monthName = (month: number) => `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`;
const dayNumber = (day: string) => Date.parse(`${day}T00:00:00Z`) / 86_400_000;
const later = (a: string, b: string) => (a > b ? a : b);

/** amount × numerator ÷ denominator, rounded once, half away from zero. */
export function share(amount: number, numerator: number, denominator: number): number {
  const product = BigInt(amount) * BigInt(numerator);
  const divisor = BigInt(denominator);
  const size = product < 0n ? -product : product;
  const rounded = Number((2n * size + divisor) / (2n * divisor));
  return product < 0n ? 0 - rounded : rounded;
}

export function addMonths(day: string, months: number): string {
  return `${monthName(monthNumber(day) + months)}${day.slice(7)}`;
}

/** Units of the whole life, and those that have passed at the end of a month. */
function unitsOf({ length, convention, start }: LotTerms, earnedOn: string) {
  const first = start ?? earnedOn;
  const until = 'until' in length ? length.until : null;
  if (convention === 'daily') {
    const end =
      until === null ? dayNumber(addMonths(first, (length as { months: number }).months)) : dayNumber(until) + 1;
    const total = end - dayNumber(first);
    return {
      total,
      passed: (month: number) => between(0, dayNumber(`${monthName(month + 1)}-01`) - dayNumber(first), total),
    };
  }
  const total = until === null ? (length as { months: number }).months : monthNumber(until) - monthNumber(first) + 1;
  const before = monthNumber(first) - (convention === 'next_month' ? 0 : 1);
  return { total, passed: (month: number) => between(0, month - before, total) };
}

const between = (low: number, value: number, high: number) => Math.max(low, Math.min(value, high));

/** The life of a lot, a month at a time. */
class LotRun {
  carrying = 0;
  /** What is spread, and what had ended and passed when this began. */
  private basis = { amount: 0, alive: 1, passed: 0, left: 1 };
  private cost = 0;
  private terms: LotTerms | null = null;

  constructor(readonly facts: LotFacts) {}

  get first(): number {
    return monthNumber(this.facts.earnedOn);
  }

  /** What of the deal's amount has not ended at the end of the month. */
  private alive(month: number): number {
    const { dealAmount, refunds, terminatedOn, earnedOn } = this.facts;
    const isOver = (day: string) => monthNumber(later(day, earnedOn)) <= month;
    if (terminatedOn !== null && isOver(terminatedOn)) return 0;
    const ended = refunds.filter(({ day }) => isOver(day)).reduce((sum, { amount }) => sum + amount, 0);
    return Math.max(0, dealAmount - ended);
  }

  private spread(amount: number, month: number): void {
    const { total, passed } = unitsOf(this.terms as LotTerms, this.facts.earnedOn);
    this.basis = { amount, alive: this.alive(month), passed: passed(month), left: total - passed(month) };
  }

  private living(month: number): number {
    const { amount, alive } = this.basis;
    return alive === 0 ? 0 : share(amount, this.alive(month), alive);
  }

  /** What is left at the end of the month of what lives. */
  private rest(living: number, month: number): number {
    const { left, passed } = this.basis;
    if (left <= 0 || living < 0) return 0;
    const units = unitsOf(this.terms as LotTerms, this.facts.earnedOn).passed(month) - passed;
    return living - share(living, Math.min(units, left), left);
  }

  step(month: number): LotMonth {
    const { facts } = this;
    const [cost, terms] = [facts.costIn(month), facts.termsIn(month)];
    const change = cost - this.cost;
    let ended = 0;
    if (month === this.first) {
      this.terms = terms;
      this.carrying = cost;
      this.basis = { amount: cost, alive: facts.dealAmount, passed: 0, left: unitsOf(terms, facts.earnedOn).total };
    } else if (change !== 0 || JSON.stringify(terms) !== JSON.stringify(this.terms)) {
      this.terms = terms;
      const living = share(change, this.alive(month - 1), facts.dealAmount);
      ended = change - living;
      this.carrying += living;
      this.spread(this.carrying, month - 1);
    }
    this.cost = cost;
    const amortisedTo = this.rest(this.living(month - 1), month);
    const amortised = this.carrying - amortisedTo;
    this.carrying = this.rest(this.living(month), month);
    ended += amortisedTo - this.carrying;
    const back = facts.takenBack
      .filter(({ day }) => monthNumber(day) === month)
      .reduce((sum, { amount }) => sum + amount, 0);
    const isBoth = Math.sign(ended) === Math.sign(back);
    const clawedBack = isBoth ? Math.sign(back) * Math.min(Math.abs(ended), Math.abs(back)) : 0;
    return { amortised, clawedBack, impaired: ended - clawedBack, beyond: back - clawedBack, carrying: this.carrying };
  }

  writeDown(amount: number, month: number): void {
    this.carrying -= amount;
    this.spread(this.carrying, month);
  }

  /** What is left in a later month if nothing else happens. */
  foresee(month: number, at: number): number {
    return this.terms === null ? 0 : this.rest(this.living(month), at);
  }
}

/** Divides an amount by weights, rounded cumulatively in their order. */
function divide(amount: number, weights: readonly number[]): number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let until = 0;
  return weights.map((weight) => {
    const before = share(amount, until, total);
    until += weight;
    return share(amount, until, total) - before;
  });
}

/** What a lot has done until a month. */
export interface LotHistory {
  readonly id: string;
  readonly months: ReadonlyMap<number, LotMonth>;
  /** The carrying amount in a later month, as things are at the end. */
  readonly foresee: (at: number) => number;
}

interface TestedLot {
  readonly run: LotRun;
  readonly untested: LotRun;
  readonly months: Map<number, LotMonth>;
}

/** What each lot is written down by a test, negative where it is written up. */
function testLots(lots: readonly TestedLot[], value: number, isReversible: boolean): number[] {
  const carrying = lots.map(({ run }) => run.carrying);
  const lacking = lots.map(({ run, untested }) => untested.carrying - run.carrying);
  const excess = add(carrying) - Math.max(0, value);
  if (excess > 0) return divide(excess, carrying);
  const back = isReversible ? Math.min(0 - excess, add(lacking)) : 0;
  return back <= 0 ? lots.map(() => 0) : divide(back, lacking).map((part) => 0 - part);
}

export const add = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0);

/** The lots of a deal in one company until the month, with the tests of impairment that they share. */
export function replayLots(
  facts: readonly LotFacts[],
  options: { readonly until: number; readonly tests: readonly LotTest[]; readonly isReversible: boolean },
): LotHistory[] {
  const { until, tests, isReversible } = options;
  const inOrder = [...facts].sort((a, b) => (a.id < b.id ? -1 : 1));
  const all = inOrder.map(
    (each): TestedLot => ({ run: new LotRun(each), untested: new LotRun(each), months: new Map() }),
  );
  for (let month = Math.min(until, ...all.map(({ run }) => run.first)); month <= until; month += 1) {
    const lots = all.filter(({ run }) => run.first <= month);
    for (const { run, untested, months } of lots) {
      untested.step(month);
      months.set(month, run.step(month));
    }
    for (const { value } of tests.filter((test) => test.month === month))
      writeDown(lots, month, testLots(lots, value, isReversible));
  }
  return all.map(({ run, months }) => ({ id: run.facts.id, months, foresee: (at) => run.foresee(until, at) }));
}

function writeDown(lots: readonly TestedLot[], month: number, parts: readonly number[]): void {
  for (const [index, { run, months }] of lots.entries()) {
    const part = parts[index] as number;
    if (part === 0) continue;
    run.writeDown(part, month);
    const before = months.get(month) as LotMonth;
    months.set(month, { ...before, impaired: before.impaired + part, carrying: run.carrying });
  }
}
